import { normalAddressPart } from '../text.ts'
import { type Condition, type Filter, type Group, NOW } from './condition.ts'
import { eventCountOf, questionKey, span } from './condition-events.ts'
import { type Field, fieldOf } from './condition-fields.ts'
import {
  isSame,
  isScalar,
  type Listed,
  listOf,
  lookUp,
  numberOf,
  timeOf,
} from './condition-values.ts'

/** All that a condition can ask about. What it does not ask about may be left out. */
export interface Facts {
  /** As on the wire: the columns by their names, times in ISO. */
  contact: { id: string; properties: Record<string, unknown> } & Readonly<Record<string, unknown>>
  /** What the contact is subscribed to now; pending ones are not. */
  topics?: readonly { id: string; slug: string }[]
  /** How many events each question counts, by its `questionKey`; absent: none. */
  events?: ReadonlyMap<string, number>
  /** What started the execution: `trigger.data.<path>`. */
  trigger?: Record<string, unknown>
  /** Of the event in question: `event.properties.<path>`. */
  event?: Record<string, unknown>
  /** ISO. */
  now: string
}

/**
 * Whether a condition holds. Filters that `checkCondition` refuses do not hold, and what has no
 * groups, or a group that has no filters, says nothing and does not hold either.
 *
 * - What is absent and what is null is missing: `exists` does not hold. An empty text exists.
 * - The negative operators hold exactly where their opposite does not: of what is missing too.
 *   All others do not hold of what is missing.
 * - `equals`, `inList`: see `isSame`. An email address is compared in lower case.
 * - `contains`: a part of a text, or an element of a list; large and small letters are told apart,
 *   as in `startsWith` and `endsWith`.
 * - `greaterThan` and its like: as numbers where the filter's value is one, else as times; `now` is
 *   the present time.
 * - `within`: a time in the last n units, not in the future. `withinNext`: one in the next n units.
 * - `triggered` and its like: see `eventCountOf`.
 * - `hasTopic`: the id or slug of a topic that the contact is subscribed to.
 * - `inBucket`: see `bucketOf`.
 */
export const evaluate = ({ logic, groups }: Condition, facts: Facts): boolean =>
  logic === 'AND'
    ? groups.length > 0 && groups.every((group) => groupHolds(group, facts))
    : groups.some((group) => groupHolds(group, facts))

function groupHolds(group: Group, facts: Facts): boolean {
  if (isBlankGroup(group)) return false
  const { not = false, filters, nested } = group
  const holds =
    filters.every((filter) => filterHolds(filter, facts)) &&
    (nested === undefined || evaluate(nested, facts))
  return holds !== not
}

/** Whether a group, or something in one that is denied, says nothing: it means nobody. */
export const isBlankGroup = ({ not, filters, nested }: Group): boolean =>
  (filters.length === 0 && nested === undefined) ||
  (not === true && nested !== undefined && isBlank(nested))

const isBlank = ({ groups }: Condition): boolean =>
  groups.length === 0 ||
  groups.some(
    ({ filters, nested }) =>
      (filters.length === 0 && nested === undefined) || (nested !== undefined && isBlank(nested)),
  )

function filterHolds(filter: Filter, facts: Facts): boolean {
  const field = fieldOf(filter.field)
  if (!field) return false
  switch (field.kind) {
    case 'topics':
      return topicsHold(filter, facts)
    case 'stats':
      return eventsHold(filter, facts)
    case 'bucket':
      return bucketHolds(filter, facts.contact.id)
    case 'json':
    case 'text':
    case 'word':
    case 'number':
    case 'time':
    case 'id':
      return valueHolds(adapted(filter, field), valueOf(field, facts), facts.now)
  }
}

type ValueField = Exclude<Field, { kind: 'topics' | 'stats' | 'bucket' }>

function valueOf(field: ValueField, facts: Facts): unknown {
  if (field.kind !== 'json') return facts.contact[field.column]
  switch (field.of) {
    case 'properties':
      return lookUp(facts.contact.properties, field.path)
    case 'trigger':
      return facts.trigger && lookUp(facts.trigger, field.path)
    case 'event':
      return facts.event && lookUp(facts.event, field.path)
  }
}

/** What values are compared with is written as they are stored. */
export function adapted(filter: Filter, field: Field): Filter {
  const write = writerOf(field)
  const { value } = filter
  const stored = Array.isArray(value) ? writtenList(value, write) : write(value)
  return stored === value ? filter : { ...filter, value: stored }
}

type Writer = (value: unknown) => unknown

function writerOf(field: Field): Writer {
  if (field.kind === 'id') return lower
  return field.kind === 'text' && field.column === 'email' ? addressPart : inNfc
}

const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value)
const addressPart = (value: unknown) =>
  typeof value === 'string' ? normalAddressPart(value) : value
const inNfc = (value: unknown) => (typeof value === 'string' ? value.normalize('NFC') : value)

/** Lists of filters as they are stored: they never change, and are asked for each event. */
const written = new WeakMap<readonly unknown[], readonly unknown[]>()

function writtenList(list: readonly unknown[], write: Writer): readonly unknown[] {
  const known = written.get(list)
  if (known) return known
  const made = list.map(write)
  written.set(list, made)
  return made
}

export function valueHolds(
  { operator, value, unit }: Filter,
  actual: unknown,
  now: string,
): boolean {
  switch (operator) {
    case 'exists':
      return !isMissing(actual)
    case 'notExists':
      return isMissing(actual)
    case 'equals':
      return isSame(actual, value)
    case 'notEquals':
      return isScalar(value) && !isSame(actual, value)
    case 'inList':
      return isIn(value, actual)
    case 'notInList':
      return Array.isArray(value) && !isIn(value, actual)
    case 'contains':
      return contains(actual, value)
    case 'notContains':
      return isScalar(value) && !contains(actual, value)
    case 'startsWith':
      return typeof actual === 'string' && typeof value === 'string' && actual.startsWith(value)
    case 'endsWith':
      return typeof actual === 'string' && typeof value === 'string' && actual.endsWith(value)
    case 'greaterThan':
    case 'lessThan':
    case 'greaterThanOrEqual':
    case 'lessThanOrEqual':
      return isOrdered(operator, actual, value === NOW ? now : value)
    case 'within':
      return isBetween(agoOf(actual, now), span(value, unit))
    case 'notWithin':
      return !Number.isNaN(span(value, unit)) && !isBetween(agoOf(actual, now), span(value, unit))
    case 'withinNext':
      return isBetween(-agoOf(actual, now), span(value, unit))
    default:
      return false
  }
}

const agoOf = (time: unknown, now: string): number =>
  (timeOf(now) ?? Number.NaN) - (timeOf(time) ?? Number.NaN)

const isBetween = (ms: number, spanMs: number): boolean => ms >= 0 && ms <= spanMs

const isMissing = (value: unknown): boolean => value === undefined || value === null

const isIn = (list: unknown, actual: unknown): boolean =>
  Array.isArray(list) && listed(list).has(actual)

/** Lists of filters, which never change, as they are asked: a thousand values for each event. */
const lists = new WeakMap<readonly unknown[], Listed>()

function listed(list: readonly unknown[]): Listed {
  const known = lists.get(list)
  if (known) return known
  const made = listOf(list)
  lists.set(list, made)
  return made
}

function contains(actual: unknown, value: unknown): boolean {
  if (Array.isArray(actual)) return actual.some((each) => isSame(each, value))
  return typeof actual === 'string' && typeof value === 'string' && actual.includes(value)
}

type OrderOperator = 'greaterThan' | 'lessThan' | 'greaterThanOrEqual' | 'lessThanOrEqual'

function isOrdered(operator: OrderOperator, actual: unknown, value: unknown): boolean {
  const read = typeof value === 'number' ? numberOf : timeOf
  const [left, right] = [read(actual), read(value)]
  if (left === undefined || right === undefined) return false
  switch (operator) {
    case 'greaterThan':
      return left > right
    case 'lessThan':
      return left < right
    case 'greaterThanOrEqual':
      return left >= right
    case 'lessThanOrEqual':
      return left <= right
  }
}

function topicsHold({ operator, value }: Filter, { topics = [] }: Facts): boolean {
  if (typeof value !== 'string') return false
  const has = topics.some(({ id, slug }) => id === value.toLowerCase() || slug === value)
  if (operator === 'hasTopic') return has
  return operator === 'notHasTopic' && !has
}

function eventsHold(filter: Filter, { events }: Facts): boolean {
  const asked = eventCountOf(filter)
  if (asked === undefined || Number.isNaN(asked.spanMs)) return false
  const count = events?.get(questionKey(asked)) ?? 0
  const holds = count >= asked.least && count <= asked.most
  return holds !== DENIALS.has(filter.operator)
}

const DENIALS: ReadonlySet<string> = new Set(['notTriggered', 'notTriggeredWithin'])

function bucketHolds({ operator, value }: Filter, contactId: string): boolean {
  if (operator !== 'inBucket' || typeof value !== 'object' || value === null) return false
  const buckets = 'buckets' in value ? value.buckets : undefined
  const index = 'index' in value ? value.index : undefined
  return typeof buckets === 'number' && bucketOf(contactId, buckets) === index
}

/**
 * Which of n equal parts of all contacts this one is in, from 0: the same for ever. The last
 * 48 bits of its id, which are random, modulo their number. Test vectors are in docs/api-guide.md;
 * `inBucket` in src/store/audience/condition-sql.ts is the same.
 */
export const bucketOf = (contactId: string, buckets: number): number =>
  Number.parseInt(contactId.slice(-12), 16) % buckets
