import { type Condition, type Group, NOW, type Operator } from './condition.ts'
import { type Field, fieldOf, OPERATORS_OF } from './condition-fields.ts'
import { shown } from '../text.ts'

/** Characters of a sentence, and of one text in it. */
const LONGEST_SENTENCE = 1_000
const LONGEST_TEXT = 80
const MOST_NAMED = 5

/** Describes a checked condition: `Contacts where the property "plan" is "pro".` */
export const sentenceOf = (condition: Condition): string =>
  `Contacts where ${shown(wordsOf(condition), LONGEST_SENTENCE)}.`

/**
 * Describes a condition without the sentence's beginning and end, for diagrams and parts of
 * sentences.
 */
export function wordsOf({ logic, groups }: Condition): string {
  const joined = logic === 'AND' ? ' and ' : ' or '
  const isAmbiguous = groups.length > 1 && logic === 'OR'
  return groups
    .map((group) => {
      const { parts, text } = wordsOfGroup(group)
      return isAmbiguous && parts > 1 ? `(${text})` : text
    })
    .join(joined)
}

function wordsOfGroup({ not, filters, nested }: Group): { parts: number; text: string } {
  const parts = [
    ...filters.map(wordsOfFilter),
    ...(nested ? [isSingle(nested) ? wordsOf(nested) : `(${wordsOf(nested)})`] : []),
  ]
  const text = parts.join(' and ')
  return not === true ? { parts: 1, text: `not (${text})` } : { parts: parts.length, text }
}

const isSingle = ({ groups: [group, ...others] }: Condition): boolean =>
  others.length === 0 &&
  (group?.not === true || (group?.nested === undefined && group?.filters.length === 1))

const LONGEST_QUOTED = 160

/** Describes an unchecked filter for an error about it. Undefined: there is nothing to describe. */
export function quotedFilter(filter: Record<string, unknown>): string | undefined {
  const { field, operator, value, unit } = filter
  if (typeof field !== 'string' || typeof operator !== 'string') return undefined
  const name = shown(field, LONGEST_TEXT)
  const shownFilter = { field: name, operator: shown(operator, LONGEST_TEXT), value, unit }
  return shown(wordsOfFilter(shownFilter), LONGEST_QUOTED)
}

interface UncheckedFilter {
  field: string
  operator: string
  value?: unknown
  unit?: unknown
}

function wordsOfFilter(filter: UncheckedFilter): string {
  const knownField = fieldOf(filter.field)
  const { operator, value, unit } = filter
  const doesFit = knownField && OPERATORS_OF[knownField.kind].some((each) => each === operator)
  const field = doesFit || knownField?.kind === 'json' ? knownField : undefined
  switch (field?.kind) {
    case 'topics':
      return `the contact is ${operator === 'hasTopic' ? '' : 'not '}subscribed to the topic ${named(value)}`
    case 'stats':
      return `the event ${named(field.name)} ${wordsOfEvents(filter)}`
    case 'bucket': {
      const { index, buckets }: { index?: unknown; buckets?: unknown } = Object(value)
      return `the contact is in bucket ${plain(index)} of ${plain(buckets)}`
    }
    default: {
      const isTime = field?.kind === 'time' || typeof value === 'string'
      const hasSpan = knownField !== undefined && SPANS.has(operator)
      const verb = verbOf(operator, isTime)
      const isPresent = value === NOW && OF_TIMES.has(operator)
      const object = hasSpan ? `${plain(value)} ${bare(unit)}` : isPresent ? NOW : named(value)
      const words = `${subjectOf(field, filter.field)} ${verb}`
      return value === undefined ? words : `${words} ${object}`
    }
  }
}

function wordsOfEvents({ operator, value, unit }: UncheckedFilter): string {
  switch (operator) {
    case 'triggeredWithin':
      return `has occurred${inTheLast(value, unit)}`
    case 'notTriggeredWithin':
      return `has not occurred${inTheLast(value, unit)}`
    case 'triggeredAtLeast':
      return `has occurred ${timesOf('at least', value)}`
    default: {
      const { atLeast, atMost, exactly, within, where }: Readonly<Record<string, unknown>> =
        Object(value)
      const times = [
        ...(atLeast === undefined ? [] : [timesOf('at least', atLeast)]),
        ...(atMost === undefined ? [] : [timesOf('at most', atMost)]),
        ...(exactly === undefined ? [] : [timesOf('exactly', exactly)]),
      ]
      return [
        operator === 'notTriggered' ? 'has not occurred' : 'has occurred',
        times.length === 0 ? '' : ` ${times.join(' and ')}`,
        within === undefined ? '' : inTheLast(within, unit),
        Array.isArray(where) ? ` with ${shown(where.map(wordsOfAny).join(' and '))}` : '',
      ].join('')
    }
  }
}

const inTheLast = (amount: unknown, unit: unknown): string =>
  ` in the last ${plain(amount)} ${bare(unit)}`

const timesOf = (bound: string, times: unknown): string =>
  `${bound} ${times === 1 ? 'once' : `${plain(times)} times`}`

const wordsOfAny = (filter: unknown): string => quotedFilter(Object(filter)) ?? '…'

const ROOTS = { properties: 'property', trigger: 'trigger value', event: 'event property' }

const subjectOf = (field: Field | undefined, name: string): string =>
  field?.kind === 'json' ? `the ${ROOTS[field.of]} ${named(field.path)}` : `the ${spaced(name)}`

/** `emailStatus` → `email status`. */
export const spaced = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const VERBS = words({
  equals: 'is',
  notEquals: 'is not',
  inList: 'is one of',
  notInList: 'is none of',
  contains: 'contains',
  notContains: 'does not contain',
  startsWith: 'starts with',
  endsWith: 'ends with',
  greaterThan: 'is more than',
  lessThan: 'is less than',
  greaterThanOrEqual: 'is at least',
  lessThanOrEqual: 'is at most',
  exists: 'is set',
  notExists: 'is not set',
  within: 'is in the last',
  notWithin: 'is not in the last',
  withinNext: 'is in the next',
})
const SPANS: ReadonlySet<string> = new Set(['within', 'notWithin', 'withinNext'])
const OF_TIMES = words({
  greaterThan: 'is after',
  lessThan: 'is before',
  greaterThanOrEqual: 'is not before',
  lessThanOrEqual: 'is not after',
})

/** Verb of an operator in a sentence: `is at least`, for times `is not before`. */
export const verbOf = (operator: string, isTime: boolean): string =>
  (isTime ? OF_TIMES.get(operator) : undefined) ?? VERBS.get(operator) ?? operator

function words(of: Partial<Record<Operator, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(of))
}

function named(value: unknown): string {
  if (!Array.isArray(value)) return plain(value)
  const first = value.slice(0, MOST_NAMED).map(plain)
  const remainingCount = value.length - first.length
  return `${first.join(', ')}${remainingCount > 0 ? ` and ${remainingCount} more` : ''}`
}

function plain(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `"${shown(value, LONGEST_TEXT)}"`
    case 'number':
    case 'boolean':
      return String(value)
    default:
      return value === null ? 'null' : '…'
  }
}

const bare = (unit: unknown): string => (typeof unit === 'string' ? shown(unit, LONGEST_TEXT) : '…')
