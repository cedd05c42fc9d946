import { ScheduleOverlapPolicy } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRetentionActivities } from '../../activities/privacy/retention.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { ensureRetentionSchedule } from '../../src/loops/retention-schedule.ts'
import { CONTROL_QUEUE, RETENTION_ID } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { daysAgo, hasDay, makeDay, seedOldMails } from '../support/old-days.ts'
import { seedExecution, seedFlow } from '../support/seed-flow.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { startSweepEngine } from '../support/sweep-engine.ts'
import { expectWarnings } from '../support/worker-log.ts'
import { connectAs } from '../support/logins.ts'

expectWarnings(
  /^Activity failed dropOldDays Error: killed$/,
  /^Activity failed deleteOldRows Error: killed$/,
)

const GONE = 735

let database: TestDatabase
let sql: Sql
let worker: Sql
let engine: Awaited<ReturnType<typeof startSweepEngine>>
/** Statements that are let through before the activity is lost, once. */
const losses = new Map<string, number>()

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  worker = connectAs(database.url, { name: 'worker', role: 'letterloom_worker', max: 4 })
  const whole = createRetentionActivities({ sql: worker })
  engine = await startSweepEngine({
    dropOldDays: () =>
      losing('days', (pool) => createRetentionActivities({ sql: pool }).dropOldDays()),
    deleteOldRows: () =>
      losing('rows', (pool) => createRetentionActivities({ sql: pool }).deleteOldRows()),
    deleteMailReferences: whole.deleteMailReferences,
  })
})
afterAll(async () => {
  await engine.stop()
  await worker.end()
  await database.drop()
})

/** Runs `act` on a pool whose connection breaks after some statements: nothing else tells of it. */
async function losing<T>(what: string, act: (pool: Sql) => Promise<T>): Promise<T> {
  const most = losses.get(what)
  losses.delete(what)
  if (most === undefined) return act(worker)
  let asked = 0
  const pool = connectAs(database.url, {
    name: 'lost',
    role: 'letterloom_worker',
    max: 1,
    onQuery: () => {
      if (++asked > most) throw new Error('killed')
    },
  })
  try {
    return await act(pool)
  } catch {
    throw new Error('killed')
  } finally {
    await pool.end()
  }
}

/** What is old and young, and how to read what is left of it. */
async function seed() {
  for (const days of [GONE, GONE + 1]) await makeDay(sql, days)
  const seeded = await seedOrganization(sql)
  const { organizationId } = seeded
  for (const days of [GONE, GONE + 1]) await seedOldMails(sql, seeded, { days, mails: 3 })
  const flowId = await seedFlow(sql, organizationId)
  const contactIds = await seedContacts(sql, organizationId, 6)
  for (const [n, contactId] of contactIds.entries()) {
    const madeAt = daysAgo(n % 2 === 0 ? 40 : 0)
    await seedExecution(sql, organizationId, { flowId, contactId, status: 'failed', madeAt })
  }
  return async () => {
    const [row] = await sql<{ executions: number; entries: number; sent: number }[]>`
      select
        (select count(*) from executions where organization_id = ${organizationId}) as executions,
        (select count(*) from flow_entries where organization_id = ${organizationId}) as entries,
        (select sum(sent) from mail_figures where organization_id = ${organizationId}) as sent`
    const days = [await hasDay(sql, 'messages', GONE), await hasDay(sql, 'messages', GONE + 1)]
    return { ...row, days }
  }
}

it('killed in the midst of each activity it goes on, and what is left is the same', async () => {
  const read = await seed()
  expect(await read()).toEqual({ executions: 6, entries: 6, sent: 6, days: [true, true] })
  losses.set('days', 8).set('rows', 3)
  const done = await engine.client.workflow.execute('keepRetention', {
    workflowId: 'killed',
    taskQueue: CONTROL_QUEUE,
    args: [],
  })
  expect(losses.size).toBe(0)
  expect(done).toMatchObject({ held: 0, busy: 0 })
  expect(await read()).toEqual({ executions: 3, entries: 6, sent: 6, days: [false, false] })
})

it('the schedule is made once, skips its time while a run is under way, and does the work', async () => {
  const { client } = engine
  await Promise.all([1, 2, 3].map(() => ensureRetentionSchedule(client)))
  const handle = client.schedule.getHandle(RETENTION_ID)
  const { spec, policies, action } = await handle.describe()
  expect(spec.intervals).toMatchObject([{ every: 6 * 3_600_000 }])
  expect(policies.overlap).toBe(ScheduleOverlapPolicy.SKIP)
  expect(action).toMatchObject({ workflowType: 'keepRetention', workflowId: RETENTION_ID })

  const read = await seed()
  await ensureRetentionSchedule(client, { everyMs: 1_000, jitterMs: 0 })
  await until(async () => (await read()).executions === 3)
  expect(await read()).toEqual({ executions: 3, entries: 6, sent: 6, days: [false, false] })
  await handle.pause('enough')
  await ensureRetentionSchedule(client)
  expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'enough' })
})
