import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { FIRST_TURN, lastTurn } from '../../src/store/db/turns.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { tally } from '../support/api.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { connectAs } from '../support/logins.ts'
import { sized } from '../support/size.ts'

const CROWD = sized(500, 100_000)
const LEASE_MS = 60_000

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'turns', role: 'letterloom_worker', max: 8 })
})
beforeEach(() => database.sql`delete from outbox`)
afterAll(async () => {
  await sql.end()
  await database.drop()
})

type Kind = 'start_execution' | 'wake_execution' | 'send_notice'

/**
 * Messages of an organization, in their order; `seconds` until they are due. By default they have
 * been due for a second: the clocks of two processors may differ by more than two statements take.
 */
const put = (organizationId: Uuid, kind: Kind, count: number, seconds = -1) => database.sql`
  insert into outbox (organization_id, kind, payload, available_at)
  select ${organizationId}, ${kind}, jsonb_build_object('number', n),
    now() + ${seconds} * interval '1 second'
  from generate_series(1, ${count}::integer) as n`

const lease = (lane: outbox.OutboxLane, limit: number, after = FIRST_TURN) =>
  outbox.lease(sql, lane, { limit, leaseMs: LEASE_MS, after })

const organizationsOf = (messages: readonly outbox.LeasedMessage[]) =>
  messages.map(({ organizationId }) => organizationId)

test('an organization with a crowd of starts makes no other one wait', async () => {
  const [crowded, second, third] = [uuidv7(), uuidv7(), uuidv7()]
  await put(crowded, 'start_execution', CROWD)
  await put(second, 'start_execution', 1)
  await put(third, 'start_execution', 9)
  const { messages } = await lease('executions', 15)
  expect(tally(organizationsOf(messages))).toEqual({ [crowded]: 5, [second]: 1, [third]: 5 })
  // Each organization's own oldest ones.
  const numbers = messages
    .filter(({ organizationId }) => organizationId === crowded)
    .map(({ payload }) => (payload as unknown as { number: number }).number)
  expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5])
})

test('one that is alone gets all of a round', async () => {
  await put(uuidv7(), 'start_execution', CROWD)
  expect((await lease('executions', 16)).messages).toHaveLength(16)
})

test('each of more organizations than places of a round is served before one is served twice', async () => {
  const organizations = Array.from({ length: 10 }, () => uuidv7())
  for (const organizationId of organizations) await put(organizationId, 'start_execution', 20)
  const served: Uuid[] = []
  let firstTwelve = new Set<Uuid>()
  let after = FIRST_TURN
  for (let round = 1; round <= 5; round++) {
    const leased = await lease('executions', 4, after)
    after = leased.after
    served.push(...organizationsOf(leased.messages))
    if (round === 3) firstTwelve = new Set(served)
  }
  expect(firstTwelve).toEqual(new Set(organizations))
  expect(tally(served)).toEqual(tally([...organizations, ...organizations]))
})

test('an organization with nothing due is passed over, and leased messages are not leased again', async () => {
  const [waiting, due, both] = [uuidv7(), uuidv7(), uuidv7()]
  await put(waiting, 'send_notice', 3, 60)
  await put(due, 'send_notice', 1)
  await put(both, 'send_notice', 1, 60)
  await put(both, 'send_notice', 1)
  const { messages } = await lease('others', 50)
  expect(tally(organizationsOf(messages))).toEqual({ [due]: 1, [both]: 1 })
  expect((await lease('others', 50)).messages).toEqual([])
})

test('executions that wake delay neither starts nor anything else', async () => {
  const organizationId = uuidv7()
  await put(organizationId, 'wake_execution', CROWD)
  await put(organizationId, 'start_execution', 1)
  await put(organizationId, 'send_notice', 1)
  const kinds = async (lane: outbox.OutboxLane) =>
    tally((await lease(lane, 16)).messages.map(({ kind }) => kind))
  expect(await kinds('executions')).toEqual({ start_execution: 1 })
  expect(await kinds('others')).toEqual({ send_notice: 1 })
  expect(await kinds('wakes')).toEqual({ wake_execution: 16 })
})

test('every message is leased by one of six relays', async () => {
  const organizations = Array.from({ length: 7 }, () => uuidv7())
  for (const [place, organizationId] of organizations.entries()) {
    await put(organizationId, 'start_execution', 1 + place * 20)
  }
  const leased: number[] = []
  const relay = async () => {
    let after = FIRST_TURN
    for (let empty = 0; empty < 3; ) {
      const { messages, after: next } = await lease('executions', 16, after)
      after = next
      leased.push(...messages.map(({ position }) => position))
      // What others are about to lease is passed over.
      empty = messages.length === 0 ? empty + 1 : 0
    }
  }
  await Promise.all(Array.from({ length: 6 }, relay))
  const all = await database.sql<{ position: number }[]>`select position from outbox`
  expect(leased.toSorted((a, b) => a - b)).toEqual(
    all.map(({ position }) => position).toSorted((a, b) => a - b),
  )
})

test('the last turn of a round is the one before the next begins', () => {
  const served = (...ids: string[]) => ids.map((organizationId) => ({ organizationId }))
  expect(lastTurn([], 'c')).toBe('c')
  expect(lastTurn(served('d', 'f', 'e'), 'c')).toBe('f')
  expect(lastTurn(served('d', 'a', 'c'), 'c')).toBe('c')
  expect(lastTurn(served('d', 'a'), 'c')).toBe('a')
})
