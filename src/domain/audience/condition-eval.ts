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

export interface Facts {
  /** The contact as on the wire: columns by name, times in ISO 8601. */
  contact: { id: string; properties: Record<string, unknown> } & Readonly<Record<string, unknown>>
  /** Topics with an active subscription. Pending ones are left out. */
  topics?: readonly { id: string; slug: string }[]
  events?: ReadonlyMap<string, number>
  trigger?: Record<string, unknown>
  event?: Record<string, unknown>
  now: string
}

/**
 * Returns whether a condition holds. Filters that `checkCondition` refuses do not hold, and neither
 * do conditions without groups or groups without filters.
 *
 * - Absent and null values are missing: `exists` does not hold. An empty text exists.
 * - Negative operators hold exactly where their opposite does not, also for missing values. All
 *   others do not hold for missing values.
 * - `equals`, `inList`: see `isSame`. Email addresses are compared in lower case.
 * - `contains`: a part of a text, or an element of a list. Case counts, as in `startsWith` and
 *   `endsWith`.
 * - `greaterThan` and its like: compares numbers if the filter's value is one, else times. `now` is
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

/** Returns whether a group, or a negated part of one, is empty. Such a group matches nobody. */
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

export function adapted(filter: Filter, field: Field): Filter {
  const write = writerOf(field)
  const { value } = filter
  const storedValue = Array.isArray(value) ? writtenList(value, write) : write(value)
  return storedValue === value ? filter : { ...filter, value: storedValue }
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

/** Normalized lists by original. Lists never change and are compared for each event. */
const writtenLists = new WeakMap<readonly unknown[], readonly unknown[]>()

function writtenList(list: readonly unknown[], write: Writer): readonly unknown[] {
  const cachedList = writtenLists.get(list)
  if (cachedList) return cachedList
  const writtenValues = list.map(write)
  writtenLists.set(list, writtenValues)
  return writtenValues
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

/**
 * Indexes of lists, which never change and may have a thousand values to compare for each event.
 */
const lists = new WeakMap<readonly unknown[], Listed>()

function listed(list: readonly unknown[]): Listed {
  const cachedIndex = lists.get(list)
  if (cachedIndex) return cachedIndex
  const index = listOf(list)
  lists.set(list, index)
  return index
}

function contains(actual: unknown, value: unknown): boolean {
  if (Array.isArray(actual)) return actual.some((each) => isSame(each, value))
  return typeof actual === 'string' && typeof value === 'string' && actual.includes(value)
}

type OrderOperator = 'greaterThan' | 'lessThan' | 'greaterThanOrEqual' | 'lessThanOrEqual'

function isOrdered(operator: OrderOperator, actual: unknown, value: unknown): boolean {
  const read = typeof value === 'number' ? numberOf : timeOf
  const [leftValue, rightValue] = [read(actual), read(value)]
  if (leftValue === undefined || rightValue === undefined) return false
  switch (operator) {
    case 'greaterThan':
      return leftValue > rightValue
    case 'lessThan':
      return leftValue < rightValue
    case 'greaterThanOrEqual':
      return leftValue >= rightValue
    case 'lessThanOrEqual':
      return leftValue <= rightValue
  }
}

function topicsHold({ operator, value }: Filter, { topics = [] }: Facts): boolean {
  if (typeof value !== 'string') return false
  const has = topics.some(({ id, slug }) => id === value.toLowerCase() || slug === value)
  if (operator === 'hasTopic') return has
  return operator === 'notHasTopic' && !has
}

function eventsHold(filter: Filter, { events }: Facts): boolean {
  const eventCount = eventCountOf(filter)
  if (eventCount === undefined || Number.isNaN(eventCount.spanMs)) return false
  const count = events?.get(questionKey(eventCount)) ?? 0
  const holds = count >= eventCount.least && count <= eventCount.most
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
 * Returns which of n equal parts of all contacts this one belongs to, from 0. It never changes: the
 * last 48 bits of the id, which are random, modulo n. Test vectors are in docs/api-guide.md.
 * `inBucket` in src/store/audience/condition-sql.ts does the same.
 */
export const bucketOf = (contactId: string, buckets: number): number =>
  Number.parseInt(contactId.slice(-12), 16) % buckets
