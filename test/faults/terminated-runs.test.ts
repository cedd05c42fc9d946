import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { notifyOwners } from '../../src/core/events/quota.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import { transact } from '../../src/store/db/sql.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { RETENTION_ID, SWEEP_ID } from '../../workflows/contract.ts'
import { acceptedBy, connectSender, importPeople } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { seedExecutions, seedFlow } from '../support/flows.ts'
import { batchRow } from '../support/seed.ts'
import { isFull } from '../support/size.ts'
import { startTestSystem, type TestSystem } from '../support/system.ts'

const READERS = 300
const IMPORTED = 20_000
const EXECUTIONS = 30
const ERASURES = 40
const ASKED = 30
const RECEIPTS = 60
const CONNECTIONS = 5
/** More than a page of a schedule's moment. */
const SCHEDULED = 1_200
/** For how long runs are terminated, each workflow once. */
const TERMINATING_MS = 45_000
const WITHIN_MS = 120_000

let system: TestSystem
let connection: Connection
let temporal: Client

beforeAll(async () => {
  if (!isFull) return
  system = await startTestSystem({}, 'production')
  connection = await Connection.connect({ address: inject('temporalAddress') })
  temporal = new Client({ connection, namespace: system.namespace })
})
afterAll(async () => {
  if (!isFull) return
  await connection.close()
  await system.stop()
})

/** Terminates every run that it finds, each workflow once. Returns their types. */
async function terminateAll(forMs: number): Promise<Set<string>> {
  const [some, others] = await Promise.all([
    // Executions are many: the others are found while they are terminated.
    terminate('WorkflowType = "runFlow"', forMs),
    terminate('WorkflowType != "runFlow"', forMs),
  ])
  return new Set([...some, ...others])
}

async function terminate(which: string, forMs: number): Promise<Set<string>> {
  const types = new Set<string>()
  const seen = new Set<string>()
  for (const until = performance.now() + forMs; performance.now() < until; await sleep(50)) {
    const query = `ExecutionStatus = "Running" and ${which}`
    for await (const { workflowId, type } of temporal.workflow.list({ query })) {
      if (seen.has(workflowId) || !(await isInMidWork(type))) continue
      seen.add(workflowId)
      const handle = temporal.workflow.getHandle(workflowId)
      // One that has ended meanwhile was not in the midst of its work.
      await handle.terminate('test').then(
        () => types.add(type),
        () => {},
      )
    }
  }
  return types
}

/** Of an import: some of its confirmations are asked for already. */
async function isInMidWork(type: string): Promise<boolean> {
  const { sql } = system
  if (type === 'importContacts') {
    return (await sql`select from imports where next_page > 2`).length > 0
  }
  if (type !== 'fireSchedule') return true
  return (await sql`select from flows where firing_for is not null`).length > 0
}

async function people(organizationId: string, count: number, status: string): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7())
  await system.sql`
    insert into contacts (organization_id, id, email, email_status, created_at)
    select ${organizationId}, id, id || '@example.com', ${status}, now() - interval '1 day'
    from unnest(${ids}::uuid[]) as id`
  return ids
}

it.skipIf(!isFull)(
  'every kind of run is terminated in mid-work: all is finished or honestly failed within two minutes, nobody is left out or mailed twice',
  async () => {
    const { sql } = system
    const sender = await connectSender(system, 100)
    const { organizationId, client, topicId } = sender
    const readers = await people(organizationId, READERS, 'active')
    const erased = await people(organizationId, ERASURES, 'unsubscribed')
    const asked = await people(organizationId, ASKED, 'active')
    const clock = await createOrganization(sql, {
      name: 'By the clock',
      ownerEmail: `${uuidv7()}@letterloom.example`,
      ownerName: 'Owner',
      plan: 'enterprise',
    })
    await people(clock.organizationId, SCHEDULED, 'active')
    const at = new Date(Date.now() + 70_000)
    const daily = await seedFlow(sql, clock.organizationId, {
      trigger: {
        type: 'schedule',
        cron: `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`,
        timezone: 'UTC',
      },
      steps: [{ id: 'end', type: 'exit', config: { outcome: 'completed', reason: 'done' } }],
    })
    const schedule = { kind: 'sync_schedule', payload: { flowId: daily.flowId } } as const
    await outbox.put(sql, clock.organizationId, schedule, undefined)
    await until(async () => {
      for await (const { scheduleId } of temporal.schedule.list()) {
        if (scheduleId.includes(daily.flowId)) return true
      }
      return false
    }, WITHIN_MS)
    // Until its moment all the others begin.
    await until(async () => Date.now() >= at.setUTCSeconds(0) - 5_000, WITHIN_MS)

    const begun = Promise.all([
      terminateAll(TERMINATING_MS),
      ...[SWEEP_ID, RETENTION_ID].map((id) => temporal.schedule.getHandle(id).trigger()),
    ])
    const flow = await seedFlow(sql, organizationId, {
      steps: [
        { id: 'rest', type: 'delay', config: { amount: 1, unit: 'minutes' } },
        { id: 'end', type: 'exit', config: { outcome: 'completed', reason: 'done' } },
      ],
    })
    await seedExecutions(sql, flow, readers.slice(0, EXECUTIONS), { isEnqueued: true })
    const batch = await client.post('/v1/batch', {
      body: {
        audienceType: 'contacts',
        contactIds: readers,
        from: SENDER,
        subject: 'Everybody once',
        htmlContent: '<p>Hello</p>',
      },
    })
    await importPeople(system, sender, IMPORTED)
    const erasures = await Promise.all(
      erased.map((id) => client.post('/v1/contacts/{id}/erase', { params: { path: { id } } })),
    )
    for (const id of asked) {
      await client.put('/v1/contacts/{id}/topics', {
        params: { path: { id } },
        body: { topicIds: [topicId] },
      })
    }
    const receipts = await client.post('/v1/email/send/batch', {
      body: {
        emails: Array.from({ length: RECEIPTS }, (_, n) => ({
          to: `receipt-${n}@example.com`,
          from: SENDER,
          subject: 'Receipt',
          text: 'Thank you',
        })),
      },
    })
    expect(receipts.accepted).toBe(RECEIPTS)
    const connections = await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, n) =>
        client.post('/v1/connections', {
          body: { accountId: String(100_000_000_000 + n), region: 'eu-west-1' },
        }),
      ),
    )
    await transact(sql, (tx) =>
      notifyOwners(tx, organizationId, { threshold: '100', limit: 1_000, now: Date.now() }),
    )
    const [types] = await begun
    // Others, such as an erasure, may end before they are found.
    expect([...types].sort()).toEqual(
      expect.arrayContaining([
        'confirmCohort',
        'confirmTopic',
        'dispatchMail',
        'fireSchedule',
        'importContacts',
        'runFlow',
        'sendBatch',
      ]),
    )

    const finished = async () => {
      const [row] = await sql<Record<string, number | string>[]>`
        select
          (select count(*) from executions
            where flow_id = ${flow.flowId} and status = 'cancelled'
              and reason = 'stopped_by_operator')::int as stopped_executions,
          (select count(*) from executions
            where flow_id = ${daily.flowId} and status not in ('completed', 'cancelled'))::int
            as open_scheduled,
          (select schedule_failure from flows where id = ${daily.flowId}),
          (select count(*) from imports
            where organization_id = ${organizationId} and status in ('pending', 'running'))::int
            as open_imports,
          (select count(*) from erasures
            where id = any(${erasures.map(({ id }) => id)}::uuid[])
              and status = 'completed')::int as erasures,
          (select count(*) from connections
            where id = any(${connections.map(({ connectionId }) => connectionId)}::uuid[])
              and checked_at is not null)::int as connections,
          (select count(*) from notice_mails
            where organization_id = ${organizationId} and state in ('queued', 'claimed'))::int
            as open_notices,
          (select count(*) from messages
            where organization_id = ${organizationId} and source = 'transactional'
              and state = 'sent')::int as receipts,
          (select count(*) from subscriptions
            where organization_id = ${organizationId} and status = 'pending'
              and mailed_at is null)::int as unasked`
      const { status } = await batchRow(sql, batch.id)
      return { ...row, batch: status }
    }
    const wanted = {
      stoppedExecutions: EXECUTIONS,
      openScheduled: 0,
      scheduleFailure: 'stopped_by_operator',
      openImports: 0,
      erasures: ERASURES,
      connections: CONNECTIONS,
      openNotices: 0,
      receipts: RECEIPTS,
      unasked: 0,
      batch: 'failed',
    }
    const soon = { timeout: WITHIN_MS, interval: 500 }
    await expect.poll(finished, soon).toEqual(wanted)

    await client.post('/v1/batch/{id}/resume', { params: { path: { id: batch.id } } })
    await expect
      .poll(() => batchRow(sql, batch.id), soon)
      .toMatchObject({ status: 'completed', sent: READERS })
    const [pending] = await sql<{ people: number }[]>`
      select count(*) as people from subscriptions
      where organization_id = ${organizationId} and status = 'pending'`
    const wantedMails = READERS + RECEIPTS + (pending?.people ?? 0)
    await expect
      .poll(async () => (await acceptedBy(system, sender)).length, { ...soon, timeout: 600_000 })
      .toBe(wantedMails)
    const recipients = (await acceptedBy(system, sender)).map(({ recipient }) => recipient)
    // Those who were asked are readers of nothing else.
    expect(new Set(recipients).size).toBe(wantedMails)
  },
  1_800_000,
)
