import type { Schema } from './arbitrary.ts'

/** Inputs of the maximum size that are costly for naive readers. */

/**
 * Repeated texts that have made regular expressions and decoders slow, one for each field's
 * pattern.
 */
export const RUNS = ['a', '@', '.', ' ', '\t', 't', '0', '-', '/', '%', ':', ',', '+', '(', '\\']

const fill = (piece: string, characters: number): string =>
  piece.repeat(Math.max(1, Math.floor(characters / piece.length)))

/** Texts of a given size that are sent as JSON, valid or not. */
export const RAW: Record<string, (bytes: number) => string> = {
  'unclosed lists': (bytes) => '['.repeat(bytes),
  'unclosed objects': (bytes) => fill('{"a":', bytes),
  'lists in lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'objects in objects': (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  'objects in a list': (bytes) => `[${fill('{},', bytes - 4)}{}]`,
  'an unfinished text': (bytes) => `{"a":"${'a'.repeat(bytes - 8)}`,
  'blanks only': (bytes) => ' '.repeat(bytes),
  'blanks before a colon': (bytes) => `{"a"${' '.repeat(bytes - 8)}:1}`,
  'a long number': (bytes) => '1'.repeat(bytes),
  quotes: (bytes) => '"'.repeat(bytes),
  'quoted quotes': (bytes) => `{"a":"${fill('\\"', bytes - 10)}"}`,
  backslashes: (bytes) => `{"a":"${fill('\\\\', bytes - 10)}"}`,
  'colons in texts': (bytes) => `[${fill('":",', bytes - 6)}1]`,
  'a long key': (bytes) => `{"${'k'.repeat(bytes - 8)}":1}`,
  'many keys': (bytes) => members(bytes, (n) => `"${n.toString(36)}":1`),
  'many keys of objects': (bytes) => members(bytes, (n) => `"k${n.toString(36)}":{}`),
  'a key twice, at the end': (bytes) =>
    members(bytes - 40, (n) => `"${n.toString(36)}x":1`).replace('{', '{"0x":{"z":1,"z":2},'),
  'the same key always': (bytes) => `{${fill('"a":1,', bytes - 8)}"a":1}`,
  'keys that nearly reach a prototype': (bytes) => `{${fill('"__proto_":{},', bytes - 20)}"a":1}`,
  'keys that reach a prototype': (bytes) => `{${fill('"__proto__":1,', bytes - 20)}"a":1}`,
  'NULs under a long key': (bytes) =>
    `{"${'k'.repeat(bytes / 5)}":[${fill('"\\u0000",', bytes * 0.8 - 30)}1]}`,
  'keys that cannot be stored': (bytes) => members(bytes, (n) => `"${n.toString(36)}\\ud800":1`),
  'a text of NULs': (bytes) => `{"a":"${fill('\\u0000', bytes - 10)}"}`,
  'one NUL among many texts': (bytes) => `{"a":[${fill('"x",', bytes - 30)}"x"],"b":"\\u0000"}`,
  'a NUL in a nest': (bytes) =>
    `${fill('{"a":', bytes / 2.1)}"\\u0000"${fill('}', bytes / 2.1 / 5)}`,
}

function members(bytes: number, write: (n: number) => string): string {
  const parts: string[] = []
  for (let n = 0, size = 2; size < bytes - 20; n++) {
    const member = write(n)
    parts.push(member)
    size += member.length + 1
  }
  return `{${parts.join(',')}}`
}

/** A place in a body, with its schema. */
interface Leaf {
  path: readonly string[]
  schema: Schema
}

/** Every place of a body that its schema describes. Of a list, its first member. */
export function leavesOf(schema: Schema, path: readonly string[] = [], depth = 0): Leaf[] {
  if (depth > 6) return []
  const { properties = {}, items, anyOf = [], patternProperties = {} } = schema
  return [
    { path, schema },
    ...Object.entries(properties).flatMap(([key, each]) =>
      leavesOf(each, [...path, key], depth + 1),
    ),
    ...Object.values(patternProperties).flatMap((each) =>
      leavesOf(each, [...path, 'key'], depth + 1),
    ),
    ...(items ? leavesOf(items, [...path, '0'], depth + 1) : []),
    ...anyOf.flatMap((each) => leavesOf(each, path, depth + 1).slice(1)),
  ]
}

/** JSON texts of about a given size that a place may get instead of its own. */
export function misfits({ type, maxLength }: Schema, bytes: number): Record<string, string> {
  const types = [type ?? []].flat()
  const runs = maxLength === undefined ? RUNS : RUNS.slice(0, 2)
  return {
    'a list of objects': `[${fill('{},', bytes - 4)}{}]`,
    'a list of numbers': `[${fill('1,', bytes - 4)}1]`,
    ...(types.includes('string')
      ? Object.fromEntries(
          runs.map((run) => [`a run of ${run}`, JSON.stringify(fill(run, bytes / 2))]),
        )
      : {}),
    ...(types.includes('array') ? { 'a list of texts': `[${fill('"a",', bytes - 8)}"b"]` } : {}),
    ...(types.includes('object') || types.length === 0
      ? { 'many keys': members(bytes, (n) => `"${n.toString(36)}":1`) }
      : {}),
  }
}

/** `body` as JSON with the JSON `text` at `path`, which is created where missing. */
export function withText(body: unknown, path: readonly string[], text: string): string {
  const MARK = '\u0001here\u0001'
  const put = (value: unknown, [key, ...rest]: readonly string[]): unknown => {
    if (key === undefined) return MARK
    if (key === '0') return [put(Array.isArray(value) ? value[0] : undefined, rest)]
    const object = typeof value === 'object' && value !== null ? value : {}
    return { ...object, [key]: put(Reflect.get(object, key), rest) }
  }
  return JSON.stringify(put(body, path)).replace(JSON.stringify(MARK), () => text)
}

/**
 * The largest value that a schema allows, of about a given size: the longest lists and texts, made
 * of `run` where possible.
 */
export function largest(schema: Schema, run: string, bytes: number): unknown {
  const { anyOf, properties = {}, patternProperties = {} } = schema
  if (schema.enum) return schema.enum.at(-1)
  if ('const' in schema) return schema.const
  if (anyOf) {
    const [branch = {}] = anyOf
    const merged = { ...schema, ...branch, properties: { ...properties, ...branch.properties } }
    Reflect.deleteProperty(merged, 'anyOf')
    return largest(merged, run, bytes)
  }
  const [type = 'any'] = [schema.type ?? []].flat()
  switch (type) {
    case 'string':
      return largestText(schema, run, bytes)
    case 'integer':
    case 'number':
      return schema.maximum ?? 1
    case 'boolean':
      return true
    case 'array': {
      const { items = {}, maxItems = 1_000 } = schema
      const one = JSON.stringify(largest(items, run, bytes / maxItems))
      const length = Math.max(1, Math.min(maxItems, Math.floor(bytes / (one.length + 1))))
      return Array.from({ length }, () => largest(items, run, bytes / length))
    }
    case 'object': {
      const knownFields = Object.entries(properties)
      if (knownFields.length > 0) {
        const each = bytes / knownFields.length
        return Object.fromEntries(
          knownFields.map(([key, child]) => [key, largest(child, run, each)]),
        )
      }
      const [child = {}] = Object.values(patternProperties)
      const count = Math.max(1, Math.min(schema.maxProperties ?? 500, Math.floor(bytes / 40)))
      return Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`${run}${n}`, largest(child, run, 20)]),
      )
    }
    default:
      return fill(run, Math.min(bytes, 20))
  }
}

let madeCharacters = 0

function largestText({ format, pattern, maxLength }: Schema, run: string, bytes: number): string {
  const number = (++madeCharacters).toString(16).padStart(12, '0')
  const formatted: Record<string, string> = {
    uuid: `0199c2f4-7d1e-7a60-9c1b-${number}`,
    email: `${'a'.repeat(64)}.${number}@${'d.'.repeat(60)}example.com`,
    date: '2026-11-21',
    'date-time': `2026-11-21T10:56:09.${'1'.repeat(9)}Z`,
  }
  if (format !== undefined && formatted[format] !== undefined) return formatted[format]
  const most = Math.max(1, Math.min(maxLength ?? 1_000, Math.floor(bytes / 2)))
  const text = fill(run, most)
  if (pattern === undefined) return text
  const rule = new RegExp(pattern, 'u')
  const tries = [text, 'a'.repeat(Math.min(most, 100)), '123456789012', '09:30', '#ffffff']
  return tries.find((each) => rule.test(each)) ?? 'a'
}
