import { randomUUID } from 'node:crypto'
import { Client, Connection, ScheduleOverlapPolicy } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import {
  createFlowScheduleActivities,
  type PageOutcome,
} from '../../activities/flows/flow-schedules.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { syncSchedule } from '../../src/loops/flow-schedules.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import {
  CONTROL_QUEUE,
  type FireScheduleInput,
  flowScheduleId,
  momentWorkflowId,
} from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { newNamespace, until } from '../support/engine.ts'
import { changeTrigger, seedTriggered } from '../support/scheduled-flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { expectWarnings } from '../support/worker-log.ts'
import { connectAs } from '../support/logins.ts'

expectWarnings(
  /^Activity failed fireSchedulePage .*its worker was lost after the commit$/,
  /^Activity failed fireSchedulePage .*nothing was asked$/,
  /^Activity failed fireSchedulePage .*the segment cannot be evaluated$/,
  /^Activity failed fireSchedulePage .*canceling statement due to statement timeout$/,
  /^Activity failed fireSchedulePage .*the contacts of the segment take too long to find$/,
  /^Workflow failed fireSchedule /,
)

const YEARLY = { type: 'schedule', cron: '0 4 29 2 *', timezone: 'UTC' } as const
const PAGE = 10
/** Of the outbox, above which a page waits. */
const BACKLOG = 40
/** A statement of a page may take so long where a segment is to take too long. */
const TIMEOUT_MS = 2_000

let database: TestDatabase
let workerSql: Sql
/** By which pages are fired. */
let firingSql: Sql
let connection: Connection
let native: NativeConnection
let temporal: Client
let worker: Worker
let running: Promise<void>
let organizationId: Uuid
/** What each page was asked, and what is done before one is. */
let asked: Required<FireScheduleInput>[] = []
let before: (page: Required<FireScheduleInput>) => Promise<void>
let after: (page: PageOutcome) => void

beforeAll(async () => {
  const address = inject('temporalAddress')
  ;[database, connection, native] = await Promise.all([
    createDatabase(),
    Connection.connect({ address }),
    NativeConnection.connect({ address }),
  ])
  const namespace = await newNamespace(connection)
  temporal = new Client({ connection, namespace })
  workerSql = open()
  worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: CONTROL_QUEUE,
    workflowBundle: { codePath: inject('workflowBundle') },
    activities: {
      fireSchedulePage: async (page: Required<FireScheduleInput>) => {
        asked.push(page)
        await before(page)
        const outcome = await createFlowScheduleActivities({
          sql: firingSql,
          schedulePage: PAGE,
          scheduleBacklog: BACKLOG,
        }).fireSchedulePage(page)
        after(outcome)
        return outcome
      },
    },
  })
  running = worker.run()
})
afterAll(async () => {
  worker.shutdown()
  await running
  await Promise.all([native.close(), connection.close(), workerSql.end()])
  await database.drop()
})
beforeEach(async () => {
  firingSql = workerSql
  asked = []
  before = async () => {}
  after = () => {}
  ;({ organizationId } = await seedOrganization(database.sql))
})

const open = (more: { statementTimeoutMs?: number } = {}) =>
  connectAs(database.url, { name: 'fire-schedule', role: 'letterloom_worker', max: 2, ...more })
const seedScheduled = async (): Promise<Uuid> => {
  const flowId = await seedTriggered(database.sql, organizationId, YEARLY)
  await syncSchedule({ sql: database.sql, temporal }, flowId)
  return flowId
}
const schedule = (flowId: Uuid) => temporal.schedule.getHandle(flowScheduleId(flowId))
const executionsOf = (flowId: Uuid) => database.sql<
  { organizationId: Uuid; contactId: Uuid; version: number; status: string; data: object }[]
>`
  select organization_id, contact_id, version, status, data
  from executions
  where flow_id = ${flowId}
  order by contact_id`
/** Contacts that are there for years. */
const seedReaders = async (count: number, owner = organizationId): Promise<Uuid[]> => {
  const contactIds = await seedContacts(database.sql, owner, count)
  await database.sql`
    update contacts set created_at = '2020-01-01' where organization_id = ${owner}`
  return contactIds
}
/** Until all that the schedule started so far has ended. */
async function ended(flowId: Uuid, runs = 1): Promise<void> {
  const started = await until(async () => {
    const { info } = await schedule(flowId).describe()
    return info.recentActions.length >= runs && info.recentActions
  })
  for (const { action } of started)
    await temporal.workflow.getHandle(action.workflow.workflowId).result()
}
const relayed = () => database.sql`
  update outbox set done_at = now() where done_at is null`

test('a moment of the schedule starts the flow once for every contact of its organization', async () => {
  const contactIds = await seedReaders(25)
  const stranger = await seedOrganization(database.sql)
  await seedReaders(5, stranger.organizationId)
  const flowId = await seedScheduled()
  await schedule(flowId).trigger()
  await ended(flowId)
  const executions = await executionsOf(flowId)
  expect(executions.map(({ contactId }) => contactId)).toEqual(contactIds)
  expect(new Set(executions.map((each) => each.organizationId))).toEqual(new Set([organizationId]))
  const starts = await database.sql<{ payload: { contactId: Uuid; attempt: number } }[]>`
    select payload from outbox
    where kind = 'start_execution' and payload ->> 'flowId' = ${flowId}`
  expect(starts.map(({ payload }) => payload.contactId).toSorted()).toEqual(contactIds)
  expect(asked.map((page) => page.after)).toEqual([null, contactIds[9], contactIds[19]])
  await relayed()
})

/** The moment that is starting executions, and for whom that is done. */
async function firingOf(flowId: Uuid) {
  const [flow] = await database.sql<{ firingFor: string | null; firingAfter: Uuid | null }[]>`
    select firing_for, firing_after from flows where id = ${flowId}`
  return flow
}
const notFiring = { firingFor: null, firingAfter: null }

test('a moment is noted until it has started all, where its run is and how far it has come', async () => {
  const contactIds = await seedReaders(25)
  const flowId = await seedScheduled()
  const noted: object[] = []
  before = async ({ firedFor, after: last }) => {
    if (last === null) return
    const { firingFor } = (await firingOf(flowId)) ?? {}
    const run = await temporal.workflow
      .getHandle(momentWorkflowId(flowId, firingFor ?? ''))
      .describe()
    noted.push({ isSame: firingFor === firedFor, run: run.status.name })
  }
  await schedule(flowId).trigger()
  await ended(flowId)
  expect(noted).toEqual([
    { isSame: true, run: 'RUNNING' },
    { isSame: true, run: 'RUNNING' },
  ])
  expect(await firingOf(flowId)).toEqual(notFiring)

  // It stopped behind the first page, and the flow was disabled.
  const { fireSchedulePage } = createFlowScheduleActivities({ sql: workerSql, schedulePage: PAGE })
  const page = { organizationId, flowId, firedFor: new Date().toISOString() }
  await fireSchedulePage({ ...page, after: contactIds[9] ?? null })
  expect(await firingOf(flowId)).toEqual({
    firingFor: page.firedFor,
    firingAfter: contactIds[9],
  })
  await database.sql`update flows set enabled = false where id = ${flowId}`
  await fireSchedulePage({ ...page, after: contactIds[19] ?? null })
  expect(await firingOf(flowId)).toEqual(notFiring)
  await relayed()
})

/** A flow whose schedule is for a segment with this condition. */
async function seedForSegment(condition: object): Promise<{ flowId: Uuid; segmentId: Uuid }> {
  const segmentId = uuidv7()
  await database.sql`
    insert into segments (organization_id, id, name, condition)
    values (${organizationId}, ${segmentId}, 'Odd', ${database.sql.json(condition)})`
  const flowId = await seedTriggered(database.sql, organizationId, { ...YEARLY, segmentId })
  await syncSchedule({ sql: database.sql, temporal }, flowId)
  return { flowId, segmentId }
}
const named = (...values: string[]) => ({
  logic: 'AND',
  groups: [{ filters: [{ field: 'firstName', operator: 'inList', value: values }] }],
})

test('a schedule with a segment starts its members of that moment, page by page', async () => {
  const contactIds = await seedReaders(40)
  const odd = Array.from({ length: 20 }, (_, n) => `Reader ${2 * n + 1}`)
  const { flowId } = await seedForSegment(named(...odd))
  before = async ({ after }) => {
    if (after === null) return
    // This one is no member any more when its page comes.
    await database.sql`update contacts set first_name = 'Left' where id = ${contactIds[38]!}`
  }
  await schedule(flowId).trigger()
  await ended(flowId)
  const started = (await executionsOf(flowId)).map(({ contactId }) => contactId)
  expect(started).toEqual(contactIds.filter((_, n) => n % 2 === 0 && n !== 38))
  expect(asked.length).toBe(2)
  await relayed()
})

/** What a flow says of the latest moment of its schedule. */
async function failureOf(flowId: Uuid) {
  const [flow] = await database.sql<{ scheduleFailedFor: string; scheduleFailure: string }[]>`
    select schedule_failed_for, schedule_failure from flows where id = ${flowId}`
  return flow
}
const none = { scheduleFailedFor: null, scheduleFailure: null }

test.each([
  ['cannot be evaluated', { logic: 'OR', groups: [] }, false],
  ['is gone', named('Reader 1'), true],
])('a schedule whose segment %s starts nobody, and says so', async (_, condition, isGone) => {
  const contactIds = await seedReaders(3)
  const { flowId, segmentId } = await seedForSegment(condition)
  if (isGone) await database.sql`delete from segments where id = ${segmentId}`
  await schedule(flowId).trigger()
  await expect(ended(flowId)).rejects.toMatchObject({
    cause: { cause: { type: 'segment_not_usable' } },
  })
  expect(asked.length).toBe(1)
  expect(await executionsOf(flowId)).toEqual([])
  const scheduleFailedFor = asked[0]?.firedFor
  expect(await failureOf(flowId)).toEqual({
    scheduleFailedFor,
    scheduleFailure: 'segment_not_usable',
  })

  // A later moment that succeeds makes it void; an earlier one that is made up for does not.
  await changeTrigger(database.sql, organizationId, flowId, YEARLY)
  const { fireSchedulePage } = createFlowScheduleActivities({ sql: workerSql })
  const fire = (firedFor: string) =>
    fireSchedulePage({ organizationId, flowId, firedFor, after: null })
  await fire('2024-02-29T04:00:00.000Z')
  expect(await failureOf(flowId)).toMatchObject({ scheduleFailedFor })
  await fire(new Date().toISOString())
  expect(await failureOf(flowId)).toEqual(none)
  expect((await executionsOf(flowId)).length).toBe(2 * contactIds.length)
  await relayed()
})

test('a schedule whose segment takes too long five times starts nobody, and says so', async () => {
  await seedReaders(3)
  // Another failure does not count.
  before = async () => {
    if (asked.length === 2) throw new Error('nothing was asked')
  }
  const { flowId } = await seedForSegment({
    logic: 'AND',
    // It holds of everybody.
    groups: [{ filters: [{ field: 'event.bought', operator: 'notTriggered' }] }],
  })
  firingSql = open({ statementTimeoutMs: TIMEOUT_MS })
  await database.sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = '2min'`
    await tx`lock table events in access exclusive mode`
    await schedule(flowId).trigger()
    await expect(ended(flowId)).rejects.toMatchObject({
      cause: { cause: { type: 'segment_too_slow' } },
    })
  })
  await firingSql.end()
  expect(asked.length).toBe(6)
  expect(await executionsOf(flowId)).toEqual([])
  expect(await failureOf(flowId)).toEqual({
    scheduleFailedFor: asked[0]?.firedFor,
    scheduleFailure: 'segment_too_slow',
  })
})

test('a moment is the one that was scheduled, not the one at which it is made up for', async () => {
  await seedReaders(3)
  const flowId = await seedScheduled()
  await schedule(flowId).backfill({
    start: new Date('2024-02-28T00:00:00Z'),
    end: new Date('2024-03-01T00:00:00Z'),
    overlap: ScheduleOverlapPolicy.BUFFER_ALL,
  })
  await ended(flowId)
  expect(asked.map(({ firedFor }) => firedFor)).toEqual(['2024-02-29T04:00:00.000Z'])
  const executions = await executionsOf(flowId)
  expect(executions.map(({ data }) => data)).toEqual(
    Array.from({ length: 3 }, () => ({ scheduledFor: '2024-02-29T04:00:00.000Z' })),
  )
  await relayed()
})

test('a page that runs twice starts nobody twice, and the same moment fired again neither', async () => {
  const contactIds = await seedReaders(15)
  const flowId = await seedScheduled()
  let failures = 0
  after = () => {
    if (failures++ < 3) throw new Error('its worker was lost after the commit')
  }
  const moment = {
    start: new Date('2024-02-28T00:00:00Z'),
    end: new Date('2024-03-01T00:00:00Z'),
    overlap: ScheduleOverlapPolicy.BUFFER_ALL,
  }
  await schedule(flowId).backfill(moment)
  await ended(flowId)
  expect(failures).toBeGreaterThan(3)
  await schedule(flowId).backfill(moment)
  await ended(flowId, 2)
  expect((await executionsOf(flowId)).map(({ contactId }) => contactId)).toEqual(contactIds)
  await relayed()
})

test('a contact that is created after the moment is not started by it', async () => {
  const contactIds = await seedReaders(PAGE)
  const flowId = await seedScheduled()
  before = async ({ after }) => {
    if (after === null) return
    await database.sql`
      insert into contacts (organization_id, id, email, email_status)
      values (${organizationId}, ${randomUUID().replace(/^./, 'f')}, ${`${after}@example.com`}, 'active')
      on conflict do nothing`
  }
  await schedule(flowId).trigger()
  await ended(flowId)
  expect(asked.length).toBe(2)
  expect((await executionsOf(flowId)).map(({ contactId }) => contactId)).toEqual(contactIds)
  await relayed()
})

test('a flow that is disabled between two pages starts nobody more; a new version starts its own', async () => {
  await seedReaders(25)
  const [disabled, changed] = [await seedScheduled(), await seedScheduled()]
  before = async (page) => {
    if (page.after === null) return
    await database.sql`update flows set enabled = false where id = ${disabled}`
    const [flow] = await database.sql`select from flows where id = ${changed} and version = 1`
    if (flow && page.flowId === changed) {
      await changeTrigger(database.sql, organizationId, changed, { ...YEARLY })
    }
  }
  await schedule(disabled).trigger()
  await ended(disabled)
  expect((await executionsOf(disabled)).length).toBe(PAGE)
  await schedule(changed).trigger()
  await ended(changed)
  const versions = (await executionsOf(changed)).map(({ version }) => version)
  expect(versions.filter((version) => version === 1).length).toBe(PAGE)
  expect(versions.filter((version) => version === 2).length).toBe(15)
  await relayed()
})

test('while many outbox messages wait no page is written, and afterwards everybody is started', async () => {
  const contactIds = await seedReaders(85)
  const flowId = await seedScheduled()
  const waiting: number[] = []
  before = async () => {
    const [row] = await database.sql<{ count: number }[]>`
      select count(*)::integer as count from outbox where done_at is null`
    waiting.push(row?.count ?? 0)
    if (asked.length > 1 && asked.at(-1)?.after === asked.at(-2)?.after) await relayed()
  }
  await schedule(flowId).trigger()
  await ended(flowId)
  expect((await executionsOf(flowId)).map(({ contactId }) => contactId)).toEqual(contactIds)
  expect(Math.max(...waiting)).toBeLessThan(BACKLOG + PAGE)
  expect(asked.length).toBeGreaterThan(9)
  await relayed()
})
