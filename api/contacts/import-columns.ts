import { CONTACT_FIELD_NAMES } from '../../src/domain/contacts/contact-fields.ts'
import { CONTACT_COUNTS, CONTACT_TIMES } from '../../src/domain/contacts/contact-columns.ts'
import {
  LONGEST_PROPERTY_NAME,
  PROPERTY_PREFIX,
  propertyIn,
} from '../../src/domain/contacts/properties.ts'
import { badRequest } from '../../src/domain/errors.ts'
import { shown } from '../../src/domain/text.ts'
import { readCell, unguardCell } from '../../src/domain/contacts/csv-cell.ts'
import { findInexactNumbers, INEXACT_NUMBER } from '../../src/domain/json-numbers.ts'
import { malformedBody } from '../http/errors.ts'
import { pathOf, type Place } from '../http/input-paths.ts'

const FIELDS = [...CONTACT_FIELD_NAMES, 'topicIds', 'topicSlugs', 'resubscribe'] as const

/** Columns of an export that callers cannot write. An import ignores them. */
export const READ_ONLY = [
  'id',
  'topics',
  'pendingTopics',
  ...CONTACT_COUNTS,
  ...CONTACT_TIMES,
] as const

const MOST_COLUMNS = 500

/** Makes `First name`, `first_name` and `firstName` one name. */
const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')

const KNOWN = new Map<string, string | null>([
  ...FIELDS.map((field) => [plain(field), field] as const),
  ...READ_ONLY.map((field) => [plain(field), null] as const),
])

/** Fields by the name of their column. Null: the column is left out. */
export type Mapping = ReadonlyMap<string, string | null>

/** Parses the parameter `mapping`. Throws a 400 if it is invalid. */
export function parseMapping(text: string | undefined): Mapping {
  if (text === undefined) return new Map()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badMapping('is not valid JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badMapping('must be a JSON object from column names to fields')
  }
  return new Map(
    Object.entries(value).map(([column, field]: [string, unknown]) => {
      if (field === null) return [column, null]
      if (typeof field === 'string' && isField(field)) return [column, field]
      throw badMapping(`names a field that is not known: ${FIELDS.join(', ')}, properties.<name>`)
    }),
  )
}

const isField = (name: string): boolean =>
  FIELDS.some((field) => field === name) || propertyIn(name) !== undefined

const badMapping = (message: string) =>
  badRequest(`mapping ${message}`, [{ path: 'mapping', message }])

/** Reason why a row has no fields. A class, since a row may have a field of any name. */
export class Broken {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

export type ReadCells = (cells: readonly string[]) => Record<string, unknown> | Broken

export function readHeader(header: readonly string[], mapping: Mapping): ReadCells {
  if (header.length > MOST_COLUMNS) throw malformedBody(`has more than ${MOST_COLUMNS} columns`)
  const names = header.map(readCell)
  for (const column of mapping.keys()) {
    if (!names.includes(column))
      throw badMapping(`names the column "${column}", which is not there`)
  }
  const fields = names.map((name) => fieldOf(name, mapping))
  fields.forEach((field, i) => {
    if (field === null || fields.indexOf(field) === i) return
    throw malformedBody(`has two columns for ${field}`)
  })
  if (!fields.some((field) => field === 'email' || field === 'phone' || field === 'externalId')) {
    throw malformedBody(unknownColumns(names))
  }
  return (cells) => {
    const isTooLong = cells.slice(fields.length).some((cell) => readCell(cell) !== '')
    return isTooLong ? new Broken('has more cells than the first line') : rowOf(fields, cells)
  }
}

/** Tells which columns were read although email, phone or externalId is missing, and what to do. */
function unknownColumns(names: readonly string[]): string {
  const foundNames = shown(names.map((name) => `"${name}"`).join(', '))
  return (
    `has no column for email, phone or externalId in its first line. Columns found: ${foundNames}. ` +
    'Name the field of a column in "mapping", such as {"E-Mail Address": "email"}, or say in ' +
    '"delimiter" what separates the cells'
  )
}

function fieldOf(name: string, mapping: Mapping): string | null {
  const mapped = mapping.get(name)
  if (mapped !== undefined) return mapped
  if (name === '') return null
  const knownField = KNOWN.get(plain(name))
  if (knownField !== undefined) return knownField
  const field = name.startsWith(PROPERTY_PREFIX) ? name : PROPERTY_PREFIX + name
  if (isField(field)) return field
  throw malformedBody(`has a column whose name is longer than ${LONGEST_PROPERTY_NAME} characters`)
}

function rowOf(
  fields: readonly (string | null)[],
  cells: readonly string[],
): ReturnType<ReadCells> {
  const row: Record<string, unknown> = {}
  const properties: [string, unknown][] = []
  for (const [i, cell] of cells.entries()) {
    const field = fields[i]
    if (field == null) continue
    const text = readCell(cell)
    // A blank cell says nothing of the field.
    if (text === '') continue
    const property = propertyIn(field)
    if (property !== undefined) properties.push([property, text])
    else if (field === 'properties') {
      const json = unguardCell(cell)
      const givenProperties = parseObject(json)
      if (givenProperties === undefined) return new Broken('properties must be a JSON object')
      const inexact = inexactNumberIn(json, [field])
      if (inexact !== undefined) return new Broken(inexact)
      properties.unshift(...Object.entries(givenProperties))
    } else if (field === 'topicIds' || field === 'topicSlugs') {
      row[field] = text.split(/[\s,;|]+/).filter((name) => name !== '')
    } else if (field === 'resubscribe') row[field] = text.toLowerCase() === 'true'
    else row[field] = text
  }
  // `fromEntries` makes own properties of every name, `__proto__` included.
  if (properties.length > 0) row['properties'] = Object.fromEntries(properties)
  return row
}

/** Describes the first number of a JSON text that JavaScript would change. */
export function inexactNumberIn(json: string, before: readonly string[] = []): string | undefined {
  const [firstNumber] = findInexactNumbers(json, 1)
  if (firstNumber === undefined) return undefined
  const keys = [...before, ...firstNumber.keys]
  const place = keys.reduce<Place | undefined>((within, key) => ({ within, key }), undefined)
  return `${pathOf(place)} ${INEXACT_NUMBER}`
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.fromEntries(Object.entries(value))
  } catch {
    return undefined
  }
}
