import { CLEANED_KEYWORD, NOT_YET_KEYWORD, ROW_ERRORS } from '../../src/schemas/common.ts'

/** Schema of input. A keyword that is not among these is refused at boot. */
export interface Schema {
  type?: JsonType | readonly JsonType[]
  enum?: readonly unknown[]
  const?: unknown
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Readonly<Record<string, Schema>>
  minProperties?: number
  maxProperties?: number
  anyOf?: readonly Schema[]
}

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'

export const TYPE_WORDS: Record<JsonType, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'const',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'minProperties',
  'maxProperties',
  'anyOf',
  // These say nothing about a value.
  'title',
  'description',
  'examples',
  'default',
  'readOnly',
  ROW_ERRORS,
  NOT_YET_KEYWORD,
  CLEANED_KEYWORD,
])

/**
 * Returns the schema with its type. Throws if it has a keyword that the finder of problems lacks.
 */
export function schemaOf(schema: object): Schema {
  requireKnown(schema)
  return schema
}

function requireKnown(schema: Schema): void {
  for (const keyword of Object.keys(schema)) {
    if (!KEYWORDS.has(keyword)) {
      throw new Error(`api/http/schema-problems.ts knows no keyword "${keyword}" of a schema`)
    }
  }
  const {
    items,
    properties = {},
    patternProperties = {},
    additionalProperties,
    anyOf = [],
  } = schema
  const within = [...Object.values(properties), ...Object.values(patternProperties), ...anyOf]
  if (items) within.push(items)
  if (typeof additionalProperties === 'object') within.push(additionalProperties)
  for (const each of within) requireKnown(each)
}

export const typesOf = ({ type = [] }: Schema): readonly JsonType[] =>
  typeof type === 'string' ? [type] : type

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function isOfType(type: JsonType, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    default:
      return typeof value === type
  }
}
