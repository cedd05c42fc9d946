import fc from 'fast-check'

/** A JSON schema of the OpenAPI document with its components resolved. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  items?: Schema
  minItems?: number
  maxItems?: number
  maxProperties?: number
  anyOf?: Schema[]
  default?: unknown
}

/** Sizes that a test can afford. Each operation's own tests check the limits. */
const MOST_CHARACTERS = 60
const MOST_ITEMS = 4
const MOST_KEYS = 6

/**
 * Any storable text: control characters and every script, but no NUL and no unpaired surrogates.
 */
const text = (least: number, most: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: 'binary', minLength: least, maxLength: Math.min(most, MOST_CHARACTERS) })
    .map((made) => made.replaceAll('\0', ' '))
    // A character beyond 16 bits is two of JavaScript's and one of JSON Schema's.
    .filter((made) => made.length <= most)

const json = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })

/** A schema with one branch of its union. */
export const together = (schema: Schema, branch: Schema): Schema => ({
  ...schema,
  ...branch,
  properties: { ...schema.properties, ...branch.properties },
  required: [...(schema.required ?? []), ...(branch.required ?? [])],
})

/** Values that fit `schema`. */
export function valid(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  const { anyOf, ...rest } = schema
  if (anyOf) return fc.oneof(...anyOf.map((branch) => valid(together(rest, branch))))
  const types = [schema.type ?? []].flat()
  if (types.length === 0) return json
  return fc.oneof(...types.map((type) => ofType(type, schema)))
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  const { exclusiveMinimum: above, minimum = above ?? -1e6, maximum = 1e6 } = schema
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: minimum, max: maximum })
    case 'number':
      return fc.double({ min: minimum, max: maximum, minExcluded: minimum === above, noNaN: true })
    case 'string':
      return string(schema)
    case 'array':
      return fc.array(valid(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? MOST_ITEMS, MOST_ITEMS),
      })
    default:
      return object(schema)
  }
}

function string(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = MOST_CHARACTERS } = schema
  if (format === 'uuid') return fc.uuid()
  if (format === 'email') return fc.emailAddress().filter(({ length }) => length <= maxLength)
  if (format === 'mailbox') return mailbox
  if (format === 'date') return time.map((moment) => moment.slice(0, 10))
  if (format === 'date-time') return time
  if (pattern === undefined) return text(minLength, maxLength)
  const rule = new RegExp(pattern, 'u')
  // Text of every script where only some characters are forbidden, else what the pattern says.
  const forbids = pattern.startsWith('^[^')
  const generatedText = forbids
    ? text(minLength, maxLength).map((each) => each.replace(/[@/\p{Cc}]/gu, '_'))
    : fc.stringMatching(rule)
  return generatedText.filter((each) => rule.test(each) && each.length >= minLength)
}

const mailbox = fc
  .tuple(fc.emailAddress(), fc.constantFrom('', 'News ', '"Lee, Ann" ', '=?UTF-8?B?w7w=?= '))
  .map(([address, name]) => (name === '' ? address : `${name}<${address}>`))

const time = fc
  .date({ min: new Date('1970-01-01'), max: new Date('9999-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString())

function object(schema: Schema): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema
  const namedFields = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, valid(each)])),
    { requiredKeys: required.filter((name) => name in properties) },
  )
  const isOpen = patternProperties !== undefined || additionalProperties !== false
  if (!isOpen) return namedFields
  const [ofPattern] = Object.values(patternProperties ?? {})
  const value = typeof additionalProperties === 'object' ? additionalProperties : ofPattern
  const otherFields = fc.dictionary(fc.string({ maxLength: 20 }), value ? valid(value) : json, {
    maxKeys: MOST_KEYS,
  })
  return fc.tuple(otherFields, namedFields).map(([more, known]) => ({ ...more, ...known }))
}

/** Values in place of the valid one. */
const wrong = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1e300, 0.5, '', [], {}, [[]], ['', null], { a: 1 }),
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  json,
)

/** `value` with one place changed, a key removed or one added. Mostly invalid. */
export const damaged = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .tuple(fc.constantFrom(...places(value)), wrong, fc.constantFrom('replace', 'remove', 'add'))
    .map(([place, other, act]) => damage(value, place, other, act))

function places(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, each]) => places(each, [...path, key]))]
}

function damage(value: unknown, path: string[], other: unknown, act: string): unknown {
  const [key, ...rest] = path
  const isContainer = typeof value === 'object' && value !== null
  if (key === undefined) {
    if (act !== 'add' || !isContainer) return other
    return Array.isArray(value) ? [...value, other] : { ...value, unheardOf: other }
  }
  if (!isContainer) return other
  const copy = Array.isArray(value) ? [...value] : { ...value }
  if (rest.length === 0 && act === 'remove') {
    if (Array.isArray(copy)) copy.splice(Number(key), 1)
    else Reflect.deleteProperty(copy, key)
    return copy
  }
  Reflect.set(copy, key, damage(Reflect.get(value, key), rest, other, act))
  return copy
}
