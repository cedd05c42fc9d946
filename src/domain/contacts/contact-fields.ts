import { CHANNELS } from '../channel.ts'
import { SMS_STATUSES } from '../consent/sms-status.ts'
import { EMAIL_STATUSES } from '../status.ts'
import { LONGEST_ADDRESS } from '../text.ts'

/**
 * The fields of a contact that callers write, in the order of responses and exports. Schemas, SQL,
 * imports, exports, merge fields, conditions and flows follow from this table: besides it, a new
 * `line` needs its column, which has the name of the field in snake_case.
 *
 * `key`, `address` and `phone` identify the contact, a `line` is a text of one line, a `word` is
 * one of `words`, a `status` is such a word that is decided and not just stored, and `json` is an
 * object of the caller's own. `most` is in characters. `example` is the value of Ada Lovelace, for
 * whom previews are made.
 */
export const CONTACT_FIELDS = {
  externalId: { kind: 'key', most: 255 },
  email: { kind: 'address', most: LONGEST_ADDRESS },
  phone: { kind: 'phone', most: 50 },
  firstName: { kind: 'line', most: 100, example: 'Ada' },
  lastName: { kind: 'line', most: 100, example: 'Lovelace' },
  company: { kind: 'line', most: 200, example: 'Analytical Engines' },
  jobTitle: { kind: 'line', most: 200, example: 'Programmer' },
  emailStatus: { kind: 'status', words: EMAIL_STATUSES },
  smsStatus: { kind: 'status', words: SMS_STATUSES },
  preferredChannel: { kind: 'word', words: CHANNELS },
  properties: { kind: 'json' },
} as const

type Fields = typeof CONTACT_FIELDS
export type ContactField = keyof Fields
type Kind = Fields[ContactField]['kind']
type FieldOf<K extends Kind> = {
  [Name in ContactField]: Fields[Name]['kind'] extends K ? Name : never
}[ContactField]

type ValueOf<Field> = Field extends { words: readonly (infer Word)[] }
  ? Word | null
  : Field extends { kind: 'json' }
    ? Record<string, unknown>
    : string | null

export type ContactValues = { [Name in ContactField]: ValueOf<Fields[Name]> }

const isField = (name: string): name is ContactField => Object.hasOwn(CONTACT_FIELDS, name)

export const CONTACT_FIELD_NAMES: readonly ContactField[] =
  Object.keys(CONTACT_FIELDS).filter(isField)

function fieldsOf<K extends Kind>(...kinds: readonly K[]): readonly FieldOf<K>[]
function fieldsOf(...kinds: readonly string[]): readonly string[] {
  return CONTACT_FIELD_NAMES.filter((name) => kinds.includes(CONTACT_FIELDS[name].kind))
}

/** Fields with values that no two contacts of an organization share. */
export const UNIQUE_FIELDS = fieldsOf('key', 'address', 'phone')
export type UniqueField = (typeof UNIQUE_FIELDS)[number]

/** Texts of one line, such as names. Blank ones are stored as null. */
export const LINE_FIELDS = fieldsOf('line')
export type LineField = (typeof LINE_FIELDS)[number]

export const TEXT_FIELDS = fieldsOf('key', 'address', 'phone', 'line')

export const STATUS_FIELDS = fieldsOf('status')
export type StatusField = (typeof STATUS_FIELDS)[number]

/** Fields with a closed set of words. */
export const WORD_FIELDS = fieldsOf('status', 'word')

export const PLAIN_FIELDS = fieldsOf('key', 'address', 'phone', 'line', 'word')

/** Fields that a mail may use as `contact.<field>`. */
export const MERGE_FIELDS = fieldsOf('key', 'address', 'phone', 'line', 'json')
export type MergeValues = Pick<ContactValues, (typeof MERGE_FIELDS)[number]>

export const FLOW_FIELDS = fieldsOf('line', 'word')

export function eachLine<T>(make: (field: LineField) => T): Record<LineField, T>
export function eachLine<T>(make: (field: LineField) => T): Record<string, T> {
  return Object.fromEntries(LINE_FIELDS.map((field) => [field, make(field)]))
}

type Lines = Partial<Record<LineField, string | null>>

/** Returns the lines of an input in stored form. A blank one clears its field. */
export function clearedLines(
  input: Readonly<Partial<Record<LineField, string | null | undefined>>>,
) {
  const cleared: Lines = {}
  for (const field of LINE_FIELDS) {
    const text = input[field]
    if (text !== undefined) cleared[field] = text === '' ? null : text
  }
  return cleared
}
