import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { problemFinder } from '../../api/http/schema-problems.ts'
import type { ErrorDetail } from '../../src/domain/errors.ts'
import { type Answer, inject } from '../support/api.ts'
import { type Schema, valid } from '../support/arbitrary.ts'
import { bodySchema, type Operation } from '../support/document.ts'
import { methodOf, type Target, watchedApi, type Watched } from '../support/hostile-target.ts'
import { isFull } from '../support/size.ts'

/*
 * Every keyword of every schema of every request is broken once: what the answer says of it is a
 * sentence for people, without regular expressions and without words of the library. By default the
 * requests of one operation break each keyword once; of the others the schema alone is asked.
 */

const TIMEOUT_MS = 300_000

let watched: Watched
beforeAll(async () => {
  watched = await watchedApi()
})
afterAll(() => watched.close())

/** A value that breaks one keyword, somewhere within a schema. */
interface Violation {
  keyword: string
  value: unknown
}

const one = (schema: Schema): unknown => fc.sample(valid(schema), { numRuns: 1, seed: 7 })[0]

/** Values of every JSON type. */
const OF_TYPES: Record<string, unknown> = {
  string: 'x',
  number: 1.5,
  boolean: true,
  array: [],
  object: {},
  null: null,
}

function* violations(schema: Schema, depth = 0): Generator<Violation> {
  if (depth > 8) return
  const types = [schema.type ?? []].flat()
  if (types.length > 0) {
    const others = Object.entries(OF_TYPES).filter(([type]) => !types.includes(type))
    for (const [, value] of others.slice(0, 1)) yield { keyword: 'type', value }
    if (types.includes('integer')) yield { keyword: 'type', value: 1.5 }
  }
  if (schema.enum) yield { keyword: 'enum', value: unfit(schema.enum[0]) }
  if ('const' in schema) yield { keyword: 'const', value: unfit(schema.const) }
  if (types.includes('string')) yield* ofText(schema)
  if (schema.minimum !== undefined) yield { keyword: 'minimum', value: schema.minimum - 1 }
  if (schema.maximum !== undefined) yield { keyword: 'maximum', value: schema.maximum + 1 }
  if (schema.items) yield* ofList(schema, schema.items, depth)
  yield* ofObject(schema, depth)
  for (const branch of schema.anyOf ?? []) {
    const { anyOf: _all, ...rest } = schema
    const merged = {
      ...rest,
      ...branch,
      properties: { ...rest.properties, ...branch.properties },
      required: [...(rest.required ?? []), ...(branch.required ?? [])],
    }
    for (const each of violations(merged, depth + 1)) {
      yield { ...each, keyword: `anyOf, ${each.keyword}` }
    }
  }
}

const unfit = (word: unknown): unknown => (typeof word === 'string' ? 'no such word' : !word)

function* ofText({ minLength = 0, maxLength, pattern, format }: Schema): Generator<Violation> {
  if (minLength > 0) yield { keyword: 'minLength', value: 'x'.repeat(minLength - 1) }
  if (maxLength !== undefined && maxLength < 100_000) {
    yield { keyword: 'maxLength', value: 'x'.repeat(maxLength + 1) }
  }
  if (format !== undefined) yield { keyword: 'format', value: 'none of it' }
  if (pattern === undefined) return
  const rule = new RegExp(pattern, 'u')
  const value = ['\u0001', '!', 'Ä Ö'].find((each) => !rule.test(each))
  expect(value, `a text that ${pattern} refuses`).toBeDefined()
  yield { keyword: 'pattern', value }
}

function* ofList(schema: Schema, items: Schema, depth: number): Generator<Violation> {
  const { minItems = 0, maxItems } = schema
  const item = one(items)
  if (minItems > 0) yield { keyword: 'minItems', value: [] }
  if (maxItems !== undefined) {
    yield { keyword: 'maxItems', value: Array.from({ length: maxItems + 1 }, () => item) }
  }
  yield { keyword: 'uniqueItems', value: [item, item] }
  for (const { keyword, value } of violations(items, depth + 1)) {
    yield { keyword: `items, ${keyword}`, value: [value] }
  }
}

function* ofObject(schema: Schema, depth: number): Generator<Violation> {
  const { properties = {}, required = [], patternProperties = {}, maxProperties } = schema
  const { additionalProperties } = schema
  if (![schema.type ?? []].flat().includes('object') && Object.keys(properties).length === 0) return
  const base: object = Object(one(schema))
  for (const name of required) {
    yield { keyword: 'required', value: { ...base, [name]: undefined } }
  }
  yield { keyword: 'additionalProperties', value: { ...base, unheardOf: 1 } }
  if (maxProperties !== undefined) {
    const names = Array.from({ length: maxProperties + 1 }, (_, n) => [`k${n}`, 1] as const)
    yield { keyword: 'maxProperties', value: Object.fromEntries(names) }
  }
  const [ofPattern] = Object.values(patternProperties)
  const others = typeof additionalProperties === 'object' ? additionalProperties : ofPattern
  const within = Object.entries({ ...properties, ...(others ? { key: others } : {}) })
  for (const [name, each] of within) {
    for (const { keyword, value } of violations(each, depth + 1)) {
      yield { keyword: `${name}, ${keyword}`, value: { ...base, [name]: value } }
    }
  }
}

/** Words of JSON Schema, of the libraries, and of regular expressions. */
const JARGON =
  /must match|must NOT|pattern|allowed values|any ?Of|one ?Of|additional propert|schema|instancePath|keyword|\/body|body\/|undefined|\[object|NaN|[<>]=|\(\?|\[\^|\\[dDwWsSuUpPbB]|\^\[|\]\+|\]\*|\.\*|\{\d+,\d*\}|\$\//u
/** How what is said of a place may go on after it. */
const PREDICATE =
  /^(?:must|is|are|has|have|was|were|names?|cannot|can|needs?|goes?|lies|does|do|takes?|leads|differs|may|belongs|or \S+ (?:is|must|has|or)) /u
const PLACE = /^(?:[\w$-]+|\[\d+\])(?:\[\d+\]|\.[^\s]+|\[\])*$/u
/** Messages that name a step have its name before its place. */
const STEP = /^Step (?:".*" )?\(.*\): (?:\S+ )?/su

/** What is wrong with what an answer says; empty: it reads well. */
function faults({ status, body }: Answer): string[] {
  if (status < 400) {
    const rows: { message: string; details?: ErrorDetail[] }[] = body?.errorDetails ?? []
    return rows.flatMap(({ message, details = [] }) => [
      ...faultsOfText(message),
      ...faultsOf(details),
    ])
  }
  const said = faultsOfText(body.error)
  if (status !== 400 && status !== 422) return said
  if (!body.details?.length) said.push(`no details: ${body.error}`)
  return [...said, ...faultsOf(body.details ?? [])]
}

function faultsOfText(text: string): string[] {
  const faulty = {
    jargon: JARGON.test(text),
    'its end or its blanks': /[.,:;\s]$|\s\s|^\s/u.test(text),
    'its begin': !/^(?:[A-Z]|(?:[\w$-]+|\[\d+\])(?:\[\d+\]|\.\S+)* )/u.test(text),
    'one word': !/ /u.test(text),
    'its plural': /\b1 (?:characters|items|properties)\b/u.test(text),
  }
  return Object.entries(faulty).flatMap(([what, isSo]) => (isSo ? [`${what}: ${text}`] : []))
}

const faultsOf = (details: readonly ErrorDetail[]): string[] =>
  details.flatMap(({ path, message }) => [
    ...(path === '' || PLACE.test(path) ? [] : [`no place: ${path}`]),
    ...faultsOfText(`${path === '' ? 'The body' : path} ${message}`),
    ...(PREDICATE.test(`${message.replace(STEP, '')} `) ? [] : [`no predicate: ${message}`]),
  ])

async function send(target: Target, url: string, body?: unknown): Promise<Answer> {
  return inject(watched.api.app, {
    method: methodOf(target.operation),
    url,
    headers: {
      authorization: target.authorization,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
}

test(
  'of a body',
  async () => {
    const found = new Set<string>()
    const keywords = new Set<string>()
    for (const operation of watched.operations) {
      const schema = bodySchema(operation)
      if (schema === undefined) continue
      const target = await watched.targetOf(operation)
      const find = problemFinder(schema)
      const sent = new Set<string>()
      for (const { keyword, value } of violations(schema)) {
        // Of what fits only a rule beyond the schema may complain: the tests of each rule see that.
        const problems = find(JSON.parse(JSON.stringify(value)))
        if (problems.length === 0) continue
        const word = keyword.replace(/^.*, /, '')
        keywords.add(word)
        if (sent.has(word) && !isFull) {
          for (const fault of faultsOf(problems)) {
            found.add(`${operation.operationId}, ${keyword}: ${fault}`)
          }
          continue
        }
        sent.add(word)
        const answer = await send(target, target.url, value)
        if (answer.status === 401) target.authorization = await again(operation)
        const where = `${operation.operationId}, ${keyword}`
        expect(answer.status, `${where} ${answer.text.slice(0, 300)}`).toBeLessThan(500)
        for (const fault of faults(answer)) found.add(`${where}: ${fault}`)
      }
    }
    expect([...found].join('\n')).toBe('')
    expect([...keywords].toSorted()).toEqual([
      'additionalProperties',
      'const',
      'enum',
      'format',
      'maxItems',
      'maxLength',
      'maxProperties',
      'maximum',
      'minItems',
      'minLength',
      'minimum',
      'pattern',
      'required',
      'type',
      'uniqueItems',
    ])
  },
  TIMEOUT_MS,
)

test(
  'of a path and of a query',
  async () => {
    const found = new Set<string>()
    for (const operation of watched.operations) {
      const target = await watched.targetOf(operation)
      for (const { name, in: place, schema } of operation.parameters) {
        if (place === 'header') continue
        const texts = new Set(
          [...violations(schema)].map(({ value }) => (typeof value === 'string' ? value : '-1')),
        )
        for (const text of texts) {
          const given = encodeURIComponent(text)
          const [path = ''] = target.url.split('?')
          const url =
            place === 'path'
              ? operation.path.replace(`{${name}}`, given || '%20')
              : `${path}?${name}=${given}`
          const answer = await send(target, url)
          if (answer.status === 401) target.authorization = await again(operation)
          const where = `${operation.operationId}, ${name} ${text.slice(0, 20)}`
          expect(answer.status, `${where} ${answer.text.slice(0, 300)}`).toBeLessThan(500)
          if (!String(answer.headers['content-type']).startsWith('application/json')) continue
          for (const fault of faults(answer)) found.add(`${where}: ${fault}`)
        }
      }
      for (const query of ['unheardOf=1', `${operation.parameters[0]?.name ?? 'a'}=%00`]) {
        const answer = await send(target, `${target.url.split('?')[0]}?${query}`)
        if (!String(answer.headers['content-type']).startsWith('application/json')) continue
        if (answer.status < 500) {
          for (const fault of faults(answer)) found.add(`${operation.operationId}: ${fault}`)
        }
      }
    }
    expect([...found].join('\n')).toBe('')
  },
  TIMEOUT_MS,
)

/** A credential in the place of one that the operation itself has ended. */
const again = async (operation: Operation): Promise<string> =>
  (await watched.targetOf(operation)).authorization
