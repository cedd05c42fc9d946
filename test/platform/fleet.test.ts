import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { startOnceInFleet } from '../../src/loops/fleet.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { connectAs } from '../support/logins.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
let database: TestDatabase
let sql: Sql
const workers: { stop(): Promise<void> }[] = []
/** Requests for the lease that were sent. */
let requests = 0

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, {
    name: 'fleet',
    role: 'letterloom_worker',
    onQuery: (query) => {
      if (query.includes('fleet_leases')) requests++
    },
  })
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

/** A worker of the fleet; its loops count how often they were started and stopped. */
function work(holdMs: number) {
  const counts = { started: 0, stopped: 0 }
  const start = () => {
    counts.started++
    return [{ stop: async () => void counts.stopped++ }]
  }
  const worker = startOnceInFleet({ sql, log, holdMs, start })
  workers.push(worker)
  return { counts, stop: () => worker.stop() }
}

const running = (fleet: readonly ReturnType<typeof work>[]) =>
  fleet.filter(({ counts }) => counts.started > counts.stopped)

test('one of five workers runs the loops, and the next one when it stops', async () => {
  const fleet = Array.from({ length: 5 }, () => work(60_000))
  await until(async () => (running(fleet).length > 0 && requests >= 5 ? true : undefined))
  const [first] = running(fleet)
  const others = fleet.filter((worker) => worker !== first)
  // Each has asked, and asks again in 20 seconds: none of them may start.
  const newcomer = work(600)
  await first?.stop()
  expect(first?.counts).toEqual({ started: 1, stopped: 1 })
  await until(async () => (running([newcomer]).length === 1 ? true : undefined))
  expect(others.every(({ counts }) => counts.started === 0)).toBe(true)
})

test('a worker that died is replaced when its lease is over, one that lives is not', async () => {
  await database.sql`
    insert into fleet_leases (name, held_by, held_until)
    values ('loops', ${uuidv7()}, now() + interval '1 hour')`
  const heir = work(30)
  const looks = async () => {
    const [row] = await database.sql<{ count: number }[]>`
      select count(*) from fleet_leases where held_until > now() + interval '30 minutes'`
    return row?.count
  }
  expect(await looks()).toBe(1)
  expect(heir.counts.started).toBe(0)
  await database.sql`update fleet_leases set held_until = now()`
  await until(async () => (heir.counts.started === 1 ? true : undefined))
})

test('one that lost its lease stops its loops, and starts them when it has it again', async () => {
  const worker = work(30)
  await until(async () => (worker.counts.started === 1 ? true : undefined))
  const other = uuidv7()
  await database.sql`
    update fleet_leases set held_by = ${other}, held_until = now() + interval '1 hour'`
  await until(async () => (worker.counts.stopped === 1 ? true : undefined))
  await database.sql`update fleet_leases set held_until = now()`
  expect(await until(async () => (worker.counts.started === 2 ? true : undefined))).toBe(true)
})
