import { isSame, numberOf } from './condition-values.ts'
import type { StepOf } from './flow.ts'
import { refuseProperties } from './properties.ts'

/** What a flow may write of a contact: nothing that says who they are or what they consent to. */
export interface ContactFields {
  firstName: string | null
  lastName: string | null
  company: string | null
  jobTitle: string | null
  preferredChannel: string | null
  properties: Record<string, unknown>
}
type Column = Exclude<keyof ContactFields, 'properties'>

const COLUMNS = new Map<string, Column>([
  ['firstName', 'firstName'],
  ['lastName', 'lastName'],
  ['company', 'company'],
  ['jobTitle', 'jobTitle'],
  ['preferredChannel', 'preferredChannel'],
])
/** Characters. */
const LONGEST: Record<Exclude<Column, 'preferredChannel'>, number> = {
  firstName: 100,
  lastName: 100,
  company: 200,
  jobTitle: 200,
}
const CHANNELS = ['email', 'sms']
const PROPERTIES = 'properties.'

/** Why a contact cannot be changed so: a stable word, and a sentence. */
export interface Refusal {
  reason: 'field_refused' | 'not_a_number' | 'not_a_list' | 'properties_refused'
  error: string
}
type Changed = { value: unknown } | Refusal
type Change = (old: unknown, field: string) => Changed

/**
 * The contact as an `update_contact` step leaves it: `set`, `unset`, `increment`, `append`,
 * `remove`, in this order; all of it or nothing.
 *
 * What is missing counts as 0 and as an empty list, null takes a value away, and a text that is
 * written as a number is one. `append` adds also what the list has already, `remove` takes away all
 * that is the same.
 */
export function updateContact(
  before: ContactFields,
  {
    set = {},
    unset = [],
    increment = {},
    append = {},
    remove = {},
  }: StepOf<'update_contact'>['config'],
): { after: ContactFields } | Refusal {
  const changes: [string, Change][] = [
    ...Object.entries(set).map(([field, value]): [string, Change] => [field, to(value)]),
    ...unset.map((field): [string, Change] => [field, to(null)]),
    ...Object.entries(increment).map(([field, by]): [string, Change] => [field, adding(by)]),
    ...Object.entries(append).map(([field, value]): [string, Change] => [field, appending(value)]),
    ...Object.entries(remove).map(([field, value]): [string, Change] => [field, removing(value)]),
  ]
  const after = { ...before, properties: { ...before.properties } }
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
    if (number === undefined) return { reason: 'not_a_number', error: `${field} is no number` }
    const value = number + by
    return Number.isFinite(value)
      ? { value }
      : { reason: 'not_a_number', error: `${field} is no number` }
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
  if (!Array.isArray(list)) return { reason: 'not_a_list', error: `${field} is no list` }
  return { value: change(list) }
}

const isEqual = (a: unknown, b: unknown): boolean =>
  isSame(a, b) || JSON.stringify(a) === JSON.stringify(b)

function write(contact: ContactFields, field: string, change: Change): Refusal | undefined {
  const column = COLUMNS.get(field)
  if (column) {
    const changed = change(contact[column], field)
    if ('reason' in changed) return changed
    const value = textOf(column, changed.value)
    if (value === undefined) {
      return { reason: 'field_refused', error: `${field} cannot have such a value` }
    }
    contact[column] = value
    return undefined
  }
  const key = field.startsWith(PROPERTIES) ? field.slice(PROPERTIES.length) : ''
  if (key === '') return { reason: 'field_refused', error: `${field} is not a flow's to change` }
  const { [key]: _, ...others } = contact.properties
  const old = Object.hasOwn(contact.properties, key) ? contact.properties[key] : undefined
  const changed = change(old, field)
  if ('reason' in changed) return changed
  const isGone = changed.value === null || changed.value === undefined
  contact.properties = isGone ? others : { ...contact.properties, [key]: changed.value }
  return undefined
}

/** What a column may have; undefined: not this. An empty text is none. */
function textOf(column: Column, value: unknown): string | null | undefined {
  if (value === null || value === undefined || value === '') return null
  if (typeof value !== 'string') return undefined
  if (column === 'preferredChannel') return CHANNELS.includes(value) ? value : undefined
  return value.length <= LONGEST[column] ? value : undefined
}
