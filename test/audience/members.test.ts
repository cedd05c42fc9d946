import { afterAll, beforeAll, expect, test } from 'vitest'
import { countMembers, previewMembers, requireInTime } from '../../src/core/audience/members.ts'
import type { Condition } from '../../src/domain/audience/condition.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import * as members from '../../src/store/audience/members.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { until } from '../support/engine.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

const CONTACTS = 10_000
const TIMEOUT_MS = 3_000

let database: TestDatabase
let searcher: Sql
/** How often contacts were asked for. */
let looks = 0
let asked: members.MemberQuestion
let organizationId: Uuid
beforeAll(async () => {
  database = await createDatabase()
  searcher = connectAs(database.url, {
    name: 'members',
    role: 'letterloom_search',
    max: 2,
    statementTimeoutMs: TIMEOUT_MS,
    onQuery: (query) => {
      if (query.includes('from contacts')) looks++
    },
  })
  ;({ organizationId } = await seedOrganization(database.sql))
  await seedContacts(database.sql, organizationId, CONTACTS)
  const condition: Condition = {
    logic: 'AND',
    groups: [{ filters: [{ field: 'email', operator: 'exists' }] }],
  }
  asked = { organizationId, condition, now: new Date().toISOString() }
})
afterAll(async () => {
  await searcher.end()
  await database.drop()
})

/** Keeps everybody from reading contacts until `work` is done, or `isOver`. */
async function whileLocked<T>(work: () => Promise<T>, isOver?: () => boolean): Promise<T> {
  let result: Promise<T> | undefined
  await database.sql.begin(async (tx) => {
    await tx`lock table contacts in access exclusive mode`
    result = work()
    result.catch(() => {})
    await (isOver ? until(async () => isOver()) : result.catch(() => {}))
  })
  return result ?? Promise.reject(new Error('nothing was done'))
}

test('all are counted exactly while there is time for it', async () => {
  expect(await countMembers(searcher, asked)).toEqual({
    count: CONTACTS,
    isExact: true,
    sample: [],
  })
})

test('where there is not, the count is an estimate that says so', async () => {
  const before = looks
  const found = await whileLocked(
    async () => countMembers(searcher, asked, 5),
    () => looks === before + 2,
  )
  expect(found).toMatchObject({ isExact: false })
  expect(found?.sample).toHaveLength(5)
  // Of 10,000 a 64th is 156, give or take 12.
  expect(Math.abs((found?.count ?? 0) - CONTACTS)).toBeLessThan(CONTACTS / 2)
})

test('each contact is in one part of the estimate, whatever its bucket', async () => {
  const inBucket: Condition = {
    logic: 'AND',
    groups: [
      { filters: [{ field: 'bucket', operator: 'inBucket', value: { buckets: 64, index: 0 } }] },
    ],
  }
  const half = await members.survey(searcher, asked, { parts: 2, limit: 0 })
  expect(Math.abs(half.count - CONTACTS / 2)).toBeLessThan(500)
  const whole = await members.survey(
    searcher,
    { ...asked, condition: inBucket },
    { parts: 1, limit: 0 },
  )
  const part = await members.survey(
    searcher,
    { ...asked, condition: inBucket },
    { parts: 64, limit: 0 },
  )
  expect(whole.count).toBeGreaterThan(90)
  expect(part.count).toBeLessThan(whole.count / 4)
})

test('where even an estimate takes too long there is none, and a preview is refused', async () => {
  expect(await whileLocked(async () => countMembers(searcher, asked))).toBeUndefined()
  await expect(whileLocked(async () => previewMembers(searcher, asked, 5))).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    reason: 'condition_too_slow',
    details: [{ path: 'condition' }],
  })
  const listed = async () =>
    requireInTime('id', Promise.resolve(searcher`select from contacts limit 1`))
  await expect(whileLocked(listed)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    reason: 'segment_too_slow',
    details: [{ path: 'id' }],
  })
})
