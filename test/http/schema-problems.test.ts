import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FORMATS } from '../../api/http/formats.ts'
import { MOST_DETAILS } from '../../api/http/input-paths.ts'
import { problemFinder } from '../../api/http/schema-problems.ts'
import { LINE, LONGEST_SHOWN } from '../../src/domain/text.ts'
import { strict } from '../../src/schemas/common.ts'
import { ContactBatchInput, ContactInput } from '../../src/schemas/contacts/contact.ts'
import { FlowInput } from '../../src/schemas/flows/flow.ts'
import { PATTERN_WORDS } from '../../src/schemas/patterns.ts'
import { type Api, startApi } from '../support/api.ts'
import { sized } from '../support/size.ts'
import { damaged, type Schema, valid } from '../support/arbitrary.ts'
import {
  bodySchema,
  documentOf,
  inlined,
  type Operation,
  operationsOf,
} from '../support/document.ts'

let api: Api
let operations: readonly Operation[]
beforeAll(async () => {
  api = await startApi()
  operations = operationsOf(inlined(documentOf(api.app)))
})
afterAll(() => api.close())

const times = <T>(length: number, make: () => T): T[] => Array.from({ length }, make)

test('something is wrong with a body exactly where Ajv refuses it', () => {
  const ajv = new Ajv2020({ strict: false })
  for (const [name, { holds }] of FORMATS) ajv.addFormat(name, holds)
  for (const operation of operations) {
    const body = bodySchema(operation)
    if (body === undefined) continue
    const isValid = ajv.compile(body)
    const find = problemFinder(body)
    fc.assert(
      fc.property(fc.oneof(valid(body), valid(body).chain(damaged)), (given) => {
        const found = find(given)
        expect(found.length === 0, JSON.stringify([given, found, isValid.errors])).toBe(
          isValid(given),
        )
      }),
      { numRuns: sized(30, 100) },
    )
  }
})

test('every pattern and every format of the document has words for people', () => {
  const patterns = new Set<string>()
  const formats = new Set<string>()
  const visit = (schema: Schema): void => {
    if (schema.pattern !== undefined) patterns.add(schema.pattern)
    if (schema.format !== undefined) formats.add(schema.format)
    for (const each of Object.values(schema.properties ?? {})) visit(each)
    for (const each of schema.anyOf ?? []) visit(each)
    if (schema.items) visit(schema.items)
  }
  for (const operation of operations) {
    for (const { schema } of operation.parameters) visit(schema)
    visit(bodySchema(operation) ?? {})
  }
  expect(patterns.size).toBeGreaterThan(5)
  expect([...patterns].filter((pattern) => !PATTERN_WORDS.has(pattern))).toEqual([])
  expect([...formats].filter((format) => !FORMATS.has(format))).toEqual([])
  expect([...PATTERN_WORDS.keys()].filter((pattern) => !patterns.has(pattern))).toEqual([])
})

test('a keyword that it does not know is refused when the schema is read', () => {
  expect(() => problemFinder({ properties: { a: { multipleOf: 2 } } })).toThrow('"multipleOf"')
})

describe('says what is wrong, and no more than helps', () => {
  const find = problemFinder(ContactInput)
  const all = (given: unknown) => find(given).map(({ path, message }) => `${path} ${message}`)

  test.each<[unknown, string[]]>([
    [[], [' must be an object']],
    [{ email: 5 }, ['email must be a string']],
    [{ email: 'nobody' }, ['email must be an email address']],
    [{ email: 'x'.repeat(256) }, ['email must not have more than 255 characters']],
    [{ externalId: 'a@b' }, ['externalId must not contain @, / or control characters']],
    [
      { smsStatus: 'x' },
      ['smsStatus must be one of: pending_consent, opted_in, opted_out, invalid'],
    ],
    [{ topicIds: [1, 'a'] }, ['topicIds[0] must be a string']],
    [{ foo: 1, bar: [{}] }, ['foo is unknown', 'bar is unknown']],
  ])('%j', (given, said) => {
    expect(all(given)).toEqual(said)
  })

  test('characters are counted as JSON Schema counts them', () => {
    expect(all({ firstName: '😀'.repeat(100) })).toEqual([])
    expect(all({ firstName: '😀'.repeat(101) })).toHaveLength(1)
  })

  test('of a list that is too long nothing else', () => {
    const contacts = times(200_000, () => ({ unheardOf: 1 }))
    expect(problemFinder(ContactBatchInput)({ contacts })).toEqual([
      { path: 'contacts', message: 'must not have more than 1000 items' },
    ])
    const details = problemFinder(FlowInput)({ steps: times(1_000, () => ({})) })
    expect(details).toContainEqual({
      path: 'steps',
      message: 'must not have more than 200 items',
    })
    expect(details.filter(({ path }) => path.startsWith('steps'))).toHaveLength(1)
  })

  test('at most as many details as help, each with a short path', () => {
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [`${n}${'k'.repeat(300)}`, n]),
    )
    const found = find(many)
    expect(found).toHaveLength(MOST_DETAILS)
    expect(Math.max(...found.map(({ path }) => path.length))).toBe(LONGEST_SHOWN)
    const contacts = times(1_000, () => ({ topicIds: times(1_000, () => 1) }))
    expect(problemFinder(ContactBatchInput)({ contacts })).toHaveLength(MOST_DETAILS)
  })

  test('a step without a type is told that, not what all types want', () => {
    const flow = { name: 'F', triggerType: 'api', steps: [{}, { type: 'x' }] }
    const [missing, unknown] = problemFinder(FlowInput)(flow)
    expect(missing).toEqual({ path: 'steps[0].type', message: 'is required' })
    expect(unknown?.path).toBe('steps[1].type')
    expect(unknown?.message).toMatch(/^must be one of: send_email, send_sms, delay, /)
  })

  test('no regular expression', () => {
    const wrong = problemFinder(strict({ line: { type: 'string', pattern: LINE } }))({ line: '\n' })
    expect(wrong).toEqual([{ path: 'line', message: 'must not contain control characters' }])
  })
})
