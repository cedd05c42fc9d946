import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkCondition, IN_SEGMENTS } from '../../src/domain/audience/condition-check.ts'
import { evaluate } from '../../src/domain/audience/condition-eval.ts'
import type { Condition, Filter, Operator } from '../../src/domain/audience/condition.ts'
import { readTime } from '../../src/domain/times.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { holds } from '../../src/store/audience/condition-sql.ts'
import type { Json } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'

const NOW = '2026-11-27T12:00:00.000Z'

let database: TestDatabase
let organizationId: string
beforeAll(async () => {
  database = await createDatabase()
  ;({ organizationId } = await seedOrganization(database.sql))
})
afterAll(() => database.drop())

type Properties = Record<string, unknown>

/** Whether a filter holds of a contact with these properties; SQL and the evaluator must agree. */
async function held(properties: Properties, filter: Filter): Promise<boolean> {
  const { sql } = database
  const condition: Condition = { logic: 'AND', groups: [{ filters: [filter] }] }
  expect(checkCondition(condition, '', IN_SEGMENTS)).toEqual([])
  const id = uuidv7()
  await sql`insert into contacts ${sql({
    organizationId,
    id,
    email: `${id}@example.com`,
    properties: sql.json(properties as Json),
  })}`
  const found = await sql`
    select id from contacts
    where id = ${id} and ${holds(sql, organizationId, condition, NOW)}`
  const here = evaluate(condition, { contact: { id, properties }, now: NOW })
  expect([found.length === 1, properties, filter]).toEqual([here, properties, filter])
  return here
}

type Case = [properties: Properties, path: string, Operator, value: unknown, expected: boolean]

const isFound = (properties: Properties, path: string, operator: Operator, value?: unknown) => {
  const filter: Filter = { field: `properties.${path}`, operator }
  return held(properties, value === undefined ? filter : { ...filter, value })
}

describe('a text that is written as a boolean is one', () => {
  test.each<Case>([
    [{ vip: 'TRUE' }, 'vip', 'equals', true, true],
    [{ vip: 'TRUE' }, 'vip', 'notEquals', true, false],
    [{ vip: 'True' }, 'vip', 'equals', true, true],
    [{ vip: 'tRUE' }, 'vip', 'inList', [true, 1], true],
    [{ vip: 'FALSE' }, 'vip', 'equals', false, true],
    [{ vip: 'FALSE' }, 'vip', 'notEquals', true, true],
    [{ vip: 'False' }, 'vip', 'notInList', [false], false],
    [{ vip: true }, 'vip', 'equals', 'TRUE', true],
    [{ vip: false }, 'vip', 'inList', ['x', 'False'], true],
    [{ vip: ['a', 'TRUE'] }, 'vip', 'contains', true, true],
    [{ vip: [true] }, 'vip', 'notContains', 'True', false],
    // Two texts are compared by their characters, as `5` and `5.0` are.
    [{ vip: 'TRUE' }, 'vip', 'equals', 'true', false],
    [{ vip: 'yes' }, 'vip', 'equals', true, false],
    [{ vip: 1 }, 'vip', 'equals', true, false],
    [{ vip: ' TRUE' }, 'vip', 'equals', true, false],
    [{}, 'vip', 'notEquals', true, true],
  ])('%j %s %s %j: %j', async (properties, path, operator, value, expected) => {
    expect(await isFound(properties, path, operator, value)).toBe(expected)
  })
})

describe('a time is one, however programs write it', () => {
  const moment = '2026-11-26T23:46:40.000Z'
  test.each([
    '2026-11-26T23:46:40.000+0000',
    '2026-11-27T00:46:40.000+0100',
    '2026-11-26T23:46:40+00',
    '2026-11-26t23:46:40z',
    '2026-11-26 23:46:40',
    '2026-11-26 18:46:40-05',
    '2026-11-27T05:16:40.0009+05:30',
    '2026-11-26T23:46:40.000000000000+00:00',
  ])('%s', async (written) => {
    const { sql } = database
    expect(readTime(written)).toBe(Date.parse(moment))
    const [row] = await sql`select condition_time(to_jsonb(${written}::text)) as time`
    expect(row?.['time']).toBe(moment)
    for (const [operator, value] of [
      ['greaterThanOrEqual', moment],
      ['lessThanOrEqual', moment],
      ['lessThanOrEqual', written],
      ['greaterThanOrEqual', written],
    ] as const) {
      expect(await isFound({ at: written }, 'at', operator, value)).toBe(true)
    }
  })

  test.each([
    '2026-11-26T23:46:60Z',
    '2026-11-26T23:46:40+1',
    '2026-11-26T23:46:40+01000',
    '2026-11-26T23:46:40 +01:00',
    '2026-11-31',
    '26.11.2026',
    '11/26/2026',
    'now',
    '',
  ])('%j is none', async (written) => {
    expect(readTime(written)).toBeUndefined()
    expect(await isFound({ at: written }, 'at', 'greaterThan', '0001-01-01')).toBe(false)
    expect(await isFound({ at: written }, 'at', 'lessThanOrEqual', '9999-12-31')).toBe(false)
  })
})

describe('a property that is written flat is the nested one', () => {
  test.each<Case>([
    [{ 'address.city': 'Berlin' }, 'address.city', 'equals', 'Berlin', true],
    [{ address: { city: 'Berlin' } }, 'address.city', 'equals', 'Berlin', true],
    [
      { 'address.city': 'Berlin', address: { zip: '10115' } },
      'address.zip',
      'exists',
      undefined,
      true,
    ],
    [{ 'a.b.c': 1 }, 'a.b.c', 'equals', 1, true],
    [{ 'a.b': { c: 1 } }, 'a.b.c', 'equals', 1, true],
    [{ a: { b: { c: '1' } } }, 'a.b.c', 'lessThan', 2, true],
    [{ 'a.b': { c: [{ d: true }] } }, 'a.b.c.0.d', 'equals', true, true],
    [{ 'address.city': 'Berlin' }, 'address', 'exists', undefined, true],
    [{ 'address.city': 'Berlin' }, 'address', 'notExists', undefined, false],
    [{ 'a.b.c': 1 }, 'a.b', 'exists', undefined, true],
    [{ addresses: 1 }, 'address', 'exists', undefined, false],
    [{ 'address.city': 'Berlin' }, 'address', 'equals', 'Berlin', false],
    [{ 'address.city': 'Berlin' }, 'address.zip', 'notExists', undefined, true],
    [{ address: 'Berlin' }, 'address.city', 'exists', undefined, false],
  ])('%j %s %s %j: %j', async (properties, path, operator, value, expected) => {
    expect(await isFound(properties, path, operator, value)).toBe(expected)
  })
})

describe('a text is compared in NFC', () => {
  const composed = 'Ren\u00e9e'
  const decomposed = 'Rene\u0301e'
  test.each<Case>([
    [{ name: composed }, 'name', 'equals', decomposed, true],
    [{ name: composed }, 'name', 'notEquals', decomposed, false],
    [{ name: composed }, 'name', 'inList', ['x', decomposed], true],
    [{ name: composed }, 'name', 'contains', 'ne\u0301', true],
    [{ name: composed }, 'name', 'startsWith', 'Rene\u0301', true],
    [
      { name: ['x', '\u1112\u1161\u11ab'.normalize('NFC')] },
      'name',
      'contains',
      '\u1112\u1161\u11ab',
      true,
    ],
    [{ [composed]: 1 }, decomposed, 'exists', undefined, true],
    [{ name: composed }, 'name', 'equals', 'Renee', false],
  ])('%j %s %s %j: %j', async (properties, path, operator, value, expected) => {
    expect(await isFound(properties, path, operator, value)).toBe(expected)
  })
})
