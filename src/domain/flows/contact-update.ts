import { CHANNELS } from '../channel.ts'
import { isSame, lookUp, numberOf } from '../audience/condition-values.ts'
import {
  CONTACT_FIELDS,
  type ContactValues,
  eachLine,
  FLOW_FIELDS,
} from '../contacts/contact-fields.ts'
import { mergeProperties, propertyIn, refuseProperties } from '../contacts/properties.ts'
import { cleanLine, isWithin } from '../text.ts'

type Column = (typeof FLOW_FIELDS)[number]
export type ContactFields = Pick<ContactValues, Column | 'properties'>

/** Changes of these fields, and of `properties.<key>`. Texts are Liquid. */
export interface ContactUpdate {
  set?: Record<string, unknown>
  unset?: string[]
  increment?: Record<string, number>
  append?: Record<string, unknown>
  remove?: Record<string, unknown>
}

export interface Refusal {
  reason: 'field_refused' | 'not_a_number' | 'not_a_list' | 'properties_refused'
  error: string
}
type Changed = { value: unknown } | Refusal
type Change = (old: unknown, field: string) => Changed

/**
 * Returns the contact after an `update_contact` step: `set`, `unset`, `increment`, `append`,
 * `remove`, in this order, all or none.
 *
 * A missing value counts as 0 or as an empty list, null removes a value, and a text that is written
 * as a number counts as one. `append` adds a value even if the list has it already. `remove`
 * removes all equal values.
 */
export function updateContact(
  before: ContactFields,
  { set = {}, unset = [], increment = {}, append = {}, remove = {} }: ContactUpdate,
): { after: ContactFields } | Refusal {
  const changes: [string, Change][] = [
    ...Object.entries(set).map(([field, value]): [string, Change] => [field, to(value)]),
    ...unset.map((field): [string, Change] => [field, to(null)]),
    ...Object.entries(increment).map(([field, by]): [string, Change] => [field, adding(by)]),
    ...Object.entries(append).map(([field, value]): [string, Change] => [field, appending(value)]),
    ...Object.entries(remove).map(([field, value]): [string, Change] => [field, removing(value)]),
  ]
  const after: ContactFields = {
    ...eachLine((field) => before[field]),
    preferredChannel: before.preferredChannel,
    properties: { ...before.properties },
  }
  for (const [field, change] of changes) {
    const refusal = write(after, field, change)
    if (refusal) return refusal
  }
  const fault = refuseProperties(after.properties)
  if (fault !== undefined) return { reason: 'properties_refused', error: `properties ${fault}` }
  return { after }
}

const to =
  (value: unknown): Change =>
  () => ({ value })

const adding =
  (by: number): Change =>
  (old, field) => {
    const number = numberOf(old ?? 0)
    if (number === undefined) return { reason: 'not_a_number', error: `${field} is not a number` }
    const value = number + by
    return Number.isFinite(value)
      ? { value }
      : { reason: 'not_a_number', error: `${field} is not a number` }
  }

const appending =
  (value: unknown): Change =>
  (old, field) =>
    inList(old, field, (list) => [...list, value])

const removing =
  (value: unknown): Change =>
  (old, field) =>
    inList(old, field, (list) => list.filter((each) => !isEqual(each, value)))

function inList(old: unknown, field: string, change: (list: unknown[]) => unknown[]): Changed {
  const list: unknown = old ?? []
  if (!Array.isArray(list)) return { reason: 'not_a_list', error: `${field} is not a list` }
  return { value: change(list) }
}

const isEqual = (a: unknown, b: unknown): boolean =>
  isSame(a, b) || JSON.stringify(a) === JSON.stringify(b)

function write(contact: ContactFields, field: string, change: Change): Refusal | undefined {
  const column = FLOW_FIELDS.find((name) => name === field)
  if (column) {
    const changed = change(contact[column], field)
    if ('reason' in changed) return changed
    return writeColumn(contact, column, changed.value)
      ? undefined
      : { reason: 'field_refused', error: `${field} cannot have this value` }
  }
  const key = propertyIn(field)
  if (key === undefined)
    return { reason: 'field_refused', error: `${field} cannot be changed by a workflow` }
  const changed = change(lookUp(contact.properties, key), field)
  if ('reason' in changed) return changed
  contact.properties = mergeProperties(contact.properties, { [key]: changed.value ?? null })
  return undefined
}

/**
 * Writes a value into a column. Returns false if the column cannot have it. Blank text becomes
 * null, and a number, which only Liquid can produce, is written as text.
 */
function writeColumn(contact: ContactFields, column: Column, input: unknown): boolean {
  const value = typeof input === 'number' ? String(input) : input
  const cleaned = typeof value === 'string' ? cleanLine(value) : value
  const text = cleaned === undefined || cleaned === '' ? null : cleaned
  if (text !== null && typeof text !== 'string') return false
  if (column === 'preferredChannel') {
    const channel = CHANNELS.find((word) => word === text)
    if (text !== null && channel === undefined) return false
    contact.preferredChannel = channel ?? null
    return true
  }
  if (text !== null && !isWithin(text, CONTACT_FIELDS[column].most)) return false
  contact[column] = text
  return true
}
