import { CONTACT_COUNTS, CONTACT_TIMES } from '../contacts/contact-columns.ts'
import { CONTACT_FIELDS, TEXT_FIELDS, WORD_FIELDS } from '../contacts/contact-fields.ts'
import { PROPERTY_PREFIX } from '../contacts/properties.ts'
import type { Operator } from './condition.ts'

export type Field =
  | { kind: 'text' | 'number' | 'time' | 'id'; column: string }
  | { kind: 'word'; column: string; words: readonly string[] }
  | { kind: 'json'; of: 'properties' | 'trigger' | 'event'; path: string }
  | { kind: 'topics' }
  | { kind: 'stats'; name: string }
  | { kind: 'bucket' }
export type FieldKind = Field['kind']

const COLUMNS = new Map<string, Field>([
  ['id', { kind: 'id', column: 'id' }],
  ...TEXT_FIELDS.map((column) => [column, { kind: 'text', column }] as const),
  ...CONTACT_COUNTS.map((column) => [column, { kind: 'number', column }] as const),
  ...CONTACT_TIMES.map((column) => [column, { kind: 'time', column }] as const),
  ...WORD_FIELDS.map((column) => {
    const { words } = CONTACT_FIELDS[column]
    return [column, { kind: 'word', column, words }] as const
  }),
  ['topics', { kind: 'topics' }],
  ['bucket', { kind: 'bucket' }],
])

const JSON_ROOTS = [
  [PROPERTY_PREFIX, 'properties'],
  ['trigger.data.', 'trigger'],
  // Checked before event names, so names that begin with `properties.` cannot be used.
  ['event.properties.', 'event'],
] as const
const STATS = 'event.'
/** Limit of a key, a path and an event's name, in characters. */
const LONGEST_FIELD_NAME = 255

/**
 * Undefined: there is no such field. Keys and event names are returned in NFC, as they are stored.
 */
export function fieldOf(fieldName: string): Field | undefined {
  const name = fieldName.normalize('NFC')
  const column = COLUMNS.get(name)
  if (column) return column
  for (const [root, of] of JSON_ROOTS) {
    if (name.startsWith(root)) {
      const path = name.slice(root.length)
      return isName(path) ? { kind: 'json', of, path } : undefined
    }
  }
  const event = name.startsWith(STATS) ? name.slice(STATS.length) : ''
  return isName(event) ? { kind: 'stats', name: event } : undefined
}

/** Returns whether one field is the other or a part of it, as `properties.address.city` is. */
export const overlap = (a: string, b: string): boolean =>
  a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)

const isName = (text: string): boolean => text.length > 0 && text.length <= LONGEST_FIELD_NAME

const EQUALITY = ['equals', 'notEquals', 'inList', 'notInList'] as const
const TEXT = ['contains', 'notContains', 'startsWith', 'endsWith'] as const
const ORDER = ['greaterThan', 'lessThan', 'greaterThanOrEqual', 'lessThanOrEqual'] as const
const PRESENCE = ['exists', 'notExists'] as const
const SPANS = ['within', 'notWithin', 'withinNext'] as const

export const OPERATORS_OF: Record<FieldKind, readonly Operator[]> = {
  id: EQUALITY,
  text: [...EQUALITY, ...TEXT, ...PRESENCE],
  word: [...EQUALITY, ...PRESENCE],
  number: [...EQUALITY, ...ORDER],
  time: [...ORDER, ...SPANS, ...PRESENCE],
  json: [...EQUALITY, ...TEXT, ...ORDER, ...SPANS, ...PRESENCE],
  topics: ['hasTopic', 'notHasTopic'],
  stats: ['triggered', 'notTriggered', 'triggeredWithin', 'notTriggeredWithin', 'triggeredAtLeast'],
  bucket: ['inBucket'],
}
