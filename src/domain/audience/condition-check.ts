import {
  type Condition,
  type Filter,
  MOST_DEPTH,
  MOST_FILTERS,
  NOW,
  type Operator,
  OPERATORS,
  UNITS,
} from './condition.ts'
import { type Field, fieldOf, OPERATORS_OF } from './condition-fields.ts'
import { quotedFilter } from './condition-sentence.ts'
import { isScalar, timeOf } from './condition-values.ts'
import type { ErrorDetail } from '../errors.ts'
import { isLiquid } from '../liquid.ts'
import { shown } from '../text.ts'

export type Askable = 'topics' | 'stats' | 'trigger' | 'event'

export const IN_FLOWS: readonly Askable[] = ['topics', 'stats', 'trigger', 'event']
export const IN_SEGMENTS: readonly Askable[] = ['topics', 'stats']
/**
 * Filters of events may only use facts that are at hand where an event is stored, since they run
 * for each event and flow.
 */
export const OF_EVENTS: readonly Askable[] = ['event']

export const MOST_LISTED = 1_000
export const LONGEST_VALUE = 1_000
export const MOST_AMOUNT = 1_000_000
export const MOST_BUCKETS = 1_000
const MOST_PROBLEMS = 100

const ASKED_AS: Record<Askable, string> = {
  topics: 'topics',
  stats: 'event.<name>',
  trigger: 'trigger.data',
  event: 'event.properties',
}

/**
 * Returns the problems of an untrusted value. Empty: it is a `Condition`. Paths begin with `path`.
 * `mayBeLiquid`: values with Liquid are checked when they are rendered.
 */
export function checkCondition(
  input: unknown,
  path: string,
  askable: readonly Askable[],
  { mayBeLiquid = false } = {},
): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  let filters = 0

  function checkLevel(level: unknown, at: string, depth: number): void {
    if (depth > MOST_DEPTH) return report(at, `is nested deeper than ${MOST_DEPTH}`)
    if (!isObject(level)) return report(at, 'must be an object with logic and groups')
    onlyKnown(level, at, ['logic', 'groups'])
    if (level['logic'] !== 'AND' && level['logic'] !== 'OR') {
      report(`${at}.logic`, 'must be one of: AND, OR')
    }
    const groups = level['groups']
    if (!Array.isArray(groups) || groups.length === 0) {
      return report(`${at}.groups`, 'must be a list of at least one group')
    }
    // Each group has a filter, its own or a nested one.
    if (groups.length > MOST_FILTERS) {
      return report(`${at}.groups`, `has more than ${MOST_FILTERS} groups`)
    }
    groups.forEach((group, index) => checkGroup(group, `${at}.groups[${index}]`, depth))
  }

  function checkGroup(group: unknown, at: string, depth: number): void {
    if (!isObject(group)) return report(at, 'must be an object with filters')
    onlyKnown(group, at, ['not', 'filters', 'nested'])
    if (group['not'] !== undefined && typeof group['not'] !== 'boolean') {
      report(`${at}.not`, 'must be true or false')
    }
    const list = group['filters']
    if (!Array.isArray(list)) return report(`${at}.filters`, 'must be a list')
    if (list.length === 0 && group['nested'] === undefined) {
      report(`${at}.filters`, 'must not be empty')
    }
    if (!checkFilters(list, `${at}.filters`, fieldOf)) return
    if (group['nested'] !== undefined) checkLevel(group['nested'], `${at}.nested`, depth + 1)
  }

  function checkFilters(list: readonly unknown[], at: string, findField: typeof fieldOf): boolean {
    for (const [index, filter] of list.entries()) {
      filters++
      // Reported once, since a thousand extra filters are one mistake.
      if (filters === MOST_FILTERS + 1) report(path, `has more than ${MOST_FILTERS} filters`)
      if (filters > MOST_FILTERS) return false
      checkFilter(filter, `${at}[${index}]`, findField)
    }
    return true
  }

  function checkFilter(filter: unknown, at: string, knownField: typeof fieldOf): void {
    if (!isObject(filter)) return report(at, 'must be an object with field and operator')
    onlyKnown(filter, at, ['field', 'operator', 'value', 'unit'])
    const { field: name, operator, value, unit } = filter
    const refuse = (part: string, message: string) => {
      const quoted = quotedFilter(filter)
      report(
        `${at}.${part}`,
        quoted === undefined ? message : `${message}. The filter is: ${quoted}`,
      )
    }
    const field = typeof name === 'string' ? knownField(name) : undefined
    if (!field) {
      if (knownField !== fieldOf) return refuse('field', 'must be properties.<key> of the event')
      return refuse('field', isSegment(name) ? NESTED : 'is not a field of conditions')
    }
    const kind = field.kind === 'json' ? field.of : field.kind
    if (isAskable(kind) && !askable.includes(kind)) {
      return refuse('field', `${ASKED_AS[kind]} cannot be used here`)
    }
    const knownOperator = OPERATORS.find((each) => each === operator)
    if (!knownOperator) return refuse('operator', `must be one of: ${OPERATORS.join(', ')}`)
    const fitting = OPERATORS_OF[field.kind]
    if (!fitting.includes(knownOperator)) {
      const message = `cannot be used with the field ${shown(String(name))}. Use one of: ${fitting.join(', ')}`
      return refuse('operator', message)
    }
    const isUnknown = (each: unknown) => mayBeLiquid && isLiquid(each)
    const wrong = refuseValue(field, knownOperator, value, isUnknown)
    if (wrong !== undefined) refuse('value', wrong)
    const hasSpan = SPANS.has(knownOperator) || (isObject(value) && value['within'] !== undefined)
    if (hasSpan && !UNITS.some((each) => each === unit)) {
      refuse('unit', `must be one of: ${UNITS.join(', ')}`)
    }
    if (!hasSpan && unit !== undefined) {
      refuse('unit', 'can only be used with within, notWithin, withinNext, triggeredWithin …')
    }
    const where = field.kind === 'stats' && isObject(value) ? value['where'] : undefined
    if (Array.isArray(where)) checkFilters(where, `${at}.value.where`, propertyOf)
  }

  function onlyKnown(object: Record<string, unknown>, at: string, names: string[]): void {
    for (const name in object) {
      if (problems.length >= MOST_PROBLEMS) return
      if (!names.includes(name)) report(`${at}.${shown(name)}`, 'is unknown')
    }
  }

  function report(at: string, message: string): void {
    if (problems.length < MOST_PROBLEMS) problems.push({ path: at, message })
  }

  checkLevel(input, path, 1)
  return problems
}

const SPANS: ReadonlySet<Operator> = new Set<Operator>([
  'within',
  'notWithin',
  'withinNext',
  'triggeredWithin',
  'notTriggeredWithin',
])

function propertyOf(name: string): Field | undefined {
  const field = fieldOf(name)
  return field?.kind === 'json' && field.of === 'properties' ? field : undefined
}

/** Segments cannot be referred to, since a segment could then refer to itself. */
const isSegment = (name: unknown): boolean => /^segments?(?:Ids?)?(?:\..*)?$/s.test(String(name))
const NESTED = 'cannot be a segment. Repeat the filters of the segment here'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isAskable = (kind: string): kind is Askable => Object.hasOwn(ASKED_AS, kind)

const WITHOUT_VALUE: readonly Operator[] = ['exists', 'notExists', 'triggered', 'notTriggered']

function refuseValue(
  field: Field,
  operator: Operator,
  value: unknown,
  isUnknown: (value: unknown) => boolean,
): string | undefined {
  if (isUnknown(value) && !WITHOUT_VALUE.includes(operator)) return refuseLong(String(value))
  switch (operator) {
    case 'exists':
    case 'notExists':
      return value === undefined ? undefined : `cannot be combined with ${operator}`
    case 'triggered':
    case 'notTriggered':
      return value === undefined ? undefined : refuseTriggered(value)
    case 'equals':
    case 'notEquals':
      return refuseScalar(field, value)
    case 'inList':
    case 'notInList': {
      if (!Array.isArray(value) || value.length === 0 || value.length > MOST_LISTED) {
        return `must be a list of 1 to ${MOST_LISTED} values`
      }
      return value
        .map((each) => (isUnknown(each) ? refuseLong(String(each)) : refuseScalar(field, each)))
        .find((each) => each !== undefined)
    }
    case 'contains':
    case 'notContains':
      // A list of the contact's own may hold numbers.
      return field.kind === 'json' && typeof value !== 'string'
        ? refuseScalar(field, value)
        : refuseText(value)
    case 'startsWith':
    case 'endsWith':
      return refuseText(value)
    case 'greaterThan':
    case 'lessThan':
    case 'greaterThanOrEqual':
    case 'lessThanOrEqual':
      return refuseOrdered(field, value)
    case 'within':
    case 'notWithin':
    case 'withinNext':
    case 'triggeredWithin':
    case 'notTriggeredWithin':
    case 'triggeredAtLeast':
      return isWhole(value, 1, MOST_AMOUNT)
        ? undefined
        : `must be a whole number, 1 to ${MOST_AMOUNT}`
    case 'hasTopic':
    case 'notHasTopic':
      return typeof value === 'string' && value !== '' && value.length <= 100
        ? undefined
        : 'must be the id or slug of a topic'
    case 'inBucket':
      return refuseBucket(value)
  }
}

/** Checks the event name and the counts. The event's filters are checked elsewhere. */
function refuseTriggered(value: unknown): string | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) {
    return 'must be an object with atLeast, atMost, exactly, within or where'
  }
  const { atLeast, atMost, exactly, within, where, ...unknownKeys } = value
  if (Object.keys(unknownKeys).length > 0) {
    return 'must have atLeast, atMost, exactly, within and where, and nothing else'
  }
  for (const [name, number, least] of [
    ['atLeast', atLeast, 1],
    ['atMost', atMost, 0],
    ['exactly', exactly, 0],
    ['within', within, 1],
  ] as const) {
    if (number !== undefined && !isWhole(number, least, MOST_AMOUNT)) {
      return `${name} must be a whole number, ${least} to ${MOST_AMOUNT}`
    }
  }
  if (exactly !== undefined && (atLeast ?? atMost) !== undefined) {
    return 'exactly cannot be combined with atLeast and atMost'
  }
  if (Number(atLeast) > Number(atMost)) return 'atLeast must not be more than atMost'
  if (where === undefined || (Array.isArray(where) && where.length > 0)) return undefined
  return 'where must be a list of at least one filter'
}

function refuseScalar(field: Field, value: unknown): string | undefined {
  if (value === null) return 'must not be null. Use notExists'
  switch (field.kind) {
    case 'number':
      return typeof value === 'number' ? undefined : 'must be a number'
    case 'word':
      return field.words.some((word) => word === value)
        ? undefined
        : `must be one of: ${field.words.join(', ')}`
    case 'id':
      return typeof value === 'string' && UUID.test(value) ? undefined : 'must be an id'
    case 'json':
      if (!isScalar(value)) return 'must be a text, a number, true or false'
      return typeof value === 'string' ? refuseLong(value) : undefined
    default:
      return typeof value === 'string' ? refuseLong(value) : 'must be a text'
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const refuseLong = (text: string): string | undefined =>
  text.length > LONGEST_VALUE ? `must not be longer than ${LONGEST_VALUE} characters` : undefined

const refuseText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== ''
    ? refuseLong(value)
    : 'must be a text of at least one character'

function refuseOrdered({ kind }: Field, value: unknown): string | undefined {
  if (kind !== 'time' && typeof value === 'number') return undefined
  const isTime = value === NOW || timeOf(value) !== undefined
  if (kind !== 'number' && isTime) return undefined
  if (kind === 'number') return 'must be a number'
  return `must be ${kind === 'time' ? '' : 'a number or '}a date or time of ISO 8601, or now`
}

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most

function refuseBucket(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object with buckets and index'
  const { buckets, index, ...unknownKeys } = value
  if (Object.keys(unknownKeys).length > 0) return 'must have buckets and index, and nothing else'
  if (!isWhole(buckets, 1, MOST_BUCKETS))
    return `buckets must be a whole number, 1 to ${MOST_BUCKETS}`
  return isWhole(index, 0, buckets - 1)
    ? undefined
    : `index must be a whole number, 0 to ${buckets - 1}`
}

export const filtersOf = ({ groups }: Condition): Filter[] =>
  groups.flatMap(({ filters, nested }) => [...filters, ...(nested ? filtersOf(nested) : [])])

export const mapFilters = (
  { logic, groups }: Condition,
  path: string,
  change: (filter: Filter, path: string) => Filter,
): Condition => ({
  logic,
  groups: groups.map(({ not, filters, nested }, index) => {
    const at = `${path}.groups[${index}]`
    return {
      ...(not === undefined ? {} : { not }),
      filters: filters.map((filter, place) => change(filter, `${at}.filters[${place}]`)),
      ...(nested ? { nested: mapFilters(nested, `${at}.nested`, change) } : {}),
    }
  }),
})
