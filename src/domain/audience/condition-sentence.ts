import type { Condition, Filter, Group, Operator } from './condition.ts'
import { type Field, fieldOf } from './condition-fields.ts'
import { shown } from '../text.ts'

/** Characters of a sentence, and of one text in it. */
const LONGEST_SENTENCE = 1_000
const LONGEST_TEXT = 80
/** Values of a list that are named. */
const MOST_NAMED = 5

/** A checked condition as a sentence: `Contacts where the property "plan" is "pro".` */
export const sentenceOf = (condition: Condition): string =>
  `Contacts where ${shown(wordsOf(condition), LONGEST_SENTENCE)}.`

/** The same without a beginning and an end: for a diagram, or a part of another sentence. */
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

function wordsOfGroup({ filters, nested }: Group): { parts: number; text: string } {
  const parts = [
    ...filters.map(wordsOfFilter),
    ...(nested ? [isSingle(nested) ? wordsOf(nested) : `(${wordsOf(nested)})`] : []),
  ]
  return { parts: parts.length, text: parts.join(' and ') }
}

/** What says one thing needs no brackets. */
const isSingle = ({ groups: [group, ...others] }: Condition): boolean =>
  others.length === 0 && group?.nested === undefined && group?.filters.length === 1

function wordsOfFilter(filter: Filter): string {
  const field = fieldOf(filter.field)
  const { operator, value, unit } = filter
  switch (field?.kind) {
    case 'topics':
      return `the contact is ${operator === 'hasTopic' ? '' : 'not '}subscribed to the topic ${named(value)}`
    case 'stats':
      return `the event ${named(field.name)} ${wordsOfEvents(filter)}`
    case 'bucket': {
      const { index, buckets }: { index?: unknown; buckets?: unknown } = Object(value)
      return `the contact is in bucket ${String(index)} of ${String(buckets)}`
    }
    default: {
      const isTime = field?.kind === 'time' || typeof value === 'string'
      const verb = (isTime ? OF_TIMES[operator] : undefined) ?? VERBS[operator] ?? operator
      const object = operator === 'within' ? `${String(value)} ${String(unit)}` : named(value)
      const words = `${subjectOf(field, filter.field)} ${verb}`
      return value === undefined ? words : `${words} ${object}`
    }
  }
}

function wordsOfEvents({ operator, value, unit }: Filter): string {
  switch (operator) {
    case 'triggered':
      return 'has occurred'
    case 'notTriggered':
      return 'has not occurred'
    case 'triggeredWithin':
      return `has occurred in the last ${String(value)} ${String(unit)}`
    default:
      return `has occurred at least ${value === 1 ? 'once' : `${String(value)} times`}`
  }
}

const ROOTS = { properties: 'property', trigger: 'trigger value', event: 'event property' }

const subjectOf = (field: Field | undefined, name: string): string =>
  field?.kind === 'json' ? `the ${ROOTS[field.of]} ${named(field.path)}` : `the ${spaced(name)}`

/** `lastEmailOpenedAt` → `last email opened at`. */
const spaced = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const VERBS: Partial<Record<Operator, string>> = {
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
}
const OF_TIMES: Partial<Record<Operator, string>> = {
  greaterThan: 'is after',
  lessThan: 'is before',
  greaterThanOrEqual: 'is not before',
  lessThanOrEqual: 'is not after',
}

function named(value: unknown): string {
  if (!Array.isArray(value)) {
    return typeof value === 'string' ? `"${shown(value, LONGEST_TEXT)}"` : String(value)
  }
  const first = value.slice(0, MOST_NAMED).map((each) => named(each))
  const left = value.length - first.length
  return `${first.join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}
