import { type Client, WorkflowIdReusePolicy } from '@temporalio/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import {
  CONFIRMATIONS,
  CONNECTIONS,
  ERASURES,
  IMPORTS,
  MOMENTS,
  NOTICES,
  openRowRuns,
  startOpenRowReconcilers,
} from '../../src/loops/open-rows.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { reconcileNextPage } from '../../src/loops/run-reconciler.ts'
import * as imports from '../../src/store/contacts/imports.ts'
import {
  cohortWorkflowId,
  confirmationWorkflowId,
  CONTROL_QUEUE,
  eraseWorkflowId,
  importWorkflowId,
  momentWorkflowId,
  noticeWorkflowId,
  verifyWorkflowId,
} from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { openNamespace, until } from '../support/engine.ts'
import { forgetRuns, statusOf } from '../support/runs.ts'
import { seedTriggered } from '../support/scheduled-flows.ts'
import { REGION, seedOrganization } from '../support/seed.ts'

/** Rounds are the test's; nobody works on the runs, which stay open. */
const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }
const timings = { ...SHORT_TIMINGS, reconcileMs: 100 }

let database: TestDatabase
let temporal: Client
let closeTemporal: () => Promise<void>
let organizationId: Uuid
const deps = () => ({ sql: database.sql, temporal, timings, log })

beforeAll(async () => {
  database = await createDatabase()
  ;({ client: temporal, close: closeTemporal } = await openNamespace())
})
afterAll(async () => {
  await closeTemporal()
  await database.drop()
})
beforeEach(async () => {
  const { admin, sql } = database
  await admin`truncate outbox, erasures, imports, notices, connections, subscriptions, flows cascade`
  ;({ organizationId } = await seedOrganization(sql))
  await sql`update connections set checked_at = now()`
})

/** A kind of rows: how the test makes one that is open, and one round of its reconciler. */
interface Kind {
  name: string
  seed: () => Promise<{ workflowId: string; starts: { kind: string; payload: object } }>
  round: () => Promise<unknown>
}

async function seedConfirmation(more: { mails: number; days: number; cohort?: Uuid }) {
  const { sql } = database
  const [contactId, topicId] = [uuidv7(), uuidv7()]
  await sql`
    insert into contacts (organization_id, id, email, email_status)
    values (${organizationId}, ${contactId}, ${`${contactId}@example.com`}, 'active')`
  await sql`
    insert into topics (organization_id, id, name, slug)
    values (${organizationId}, ${topicId}, ${topicId}, ${topicId})`
  await sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status, generation, mails,
      requested_at, cohort)
    values (${organizationId}, ${contactId}, ${topicId}, 'pending', 4, ${more.mails},
      now() - ${more.days} * interval '1 day' - interval '61 seconds', ${more.cohort ?? null})`
  return { contactId, topicId, generation: 4 }
}

const confirmations = (name: string, mails: number, days: number): Kind => ({
  name,
  seed: async () => {
    const payload = await seedConfirmation({ mails, days })
    const starts = { kind: 'start_confirmation', payload }
    return { workflowId: confirmationWorkflowId(payload), starts }
  },
  round: () => reconcileNextPage(deps(), openRowRuns(deps(), CONFIRMATIONS), undefined),
})

const EVERY_HOUR = { type: 'schedule', cron: '0 * * * *', timezone: 'UTC' } as const
const MOMENT = '2026-11-20T10:00:00.000Z'

const KINDS: Kind[] = [
  {
    name: 'an erasure',
    seed: async () => {
      const [id, contactId] = [uuidv7(), uuidv7()]
      await database.sql`
        insert into erasures (organization_id, id, contact_id, contact_ids)
        values (${organizationId}, ${id}, ${contactId}, ${[contactId]}::uuid[])`
      const starts = { kind: 'start_erasure', payload: { erasureId: id } }
      return { workflowId: eraseWorkflowId(id), starts }
    },
    round: () => reconcileNextPage(deps(), openRowRuns(deps(), ERASURES), undefined),
  },
  {
    name: 'an import',
    seed: async () => {
      const id = await seedImport('running')
      const starts = { kind: 'start_import', payload: { importId: id } }
      return { workflowId: importWorkflowId(id), starts }
    },
    round: () => reconcileNextPage(deps(), openRowRuns(deps(), IMPORTS), undefined),
  },
  {
    name: 'a notice',
    seed: async () => {
      const [id, userId] = [uuidv7(), uuidv7()]
      await database.sql`insert into users (id, name, email) values (${userId}, 'Ann', ${`${id}@example.com`})`
      await database.sql`
        insert into notices (organization_id, id, kind, subject, period, data, created_at)
        values (${organizationId}, ${id}, 'account_health', ${id}, 'x', '{}', now())`
      await database.sql`
        insert into notice_mails (organization_id, notice_id, user_id)
        values (${organizationId}, ${id}, ${userId})`
      const starts = { kind: 'send_notice', payload: { noticeId: id } }
      return { workflowId: noticeWorkflowId(id), starts }
    },
    round: () => reconcileNextPage(deps(), openRowRuns(deps(), NOTICES), undefined),
  },
  {
    name: 'a new connection',
    seed: async () => {
      const id = uuidv7()
      await database.sql`
        insert into connections (organization_id, id, account_id, region, external_id)
        values (${organizationId}, ${id}, '999999999999', ${REGION}, ${id})`
      const starts = { kind: 'verify_connection', payload: { connectionId: id } }
      return { workflowId: verifyWorkflowId(id), starts }
    },
    round: () => reconcileNextPage(deps(), openRowRuns(deps(), CONNECTIONS), undefined),
  },
  confirmations('a confirmation without its mail', 0, 0),
  confirmations('a confirmation without its reminder', 1, 3),
  confirmations('a confirmation that should be given up', 2, 30),
  {
    name: 'a cohort of confirmations',
    seed: async () => {
      const cohort = uuidv7()
      await seedConfirmation({ mails: 0, days: 0, cohort })
      await seedConfirmation({ mails: 0, days: 0, cohort })
      const starts = { kind: 'start_cohort', payload: { cohort } }
      return { workflowId: cohortWorkflowId(cohort), starts }
    },
    round: () => reconcileNextPage(deps(), openRowRuns(deps(), CONFIRMATIONS), undefined),
  },
  {
    name: 'a moment of a schedule',
    seed: async () => {
      const flowId = await seedTriggered(database.sql, organizationId, EVERY_HOUR)
      const after = uuidv7()
      await database.sql`
        update flows set firing_for = ${MOMENT}, firing_after = ${after} where id = ${flowId}`
      const starts = { kind: 'fire_schedule', payload: { flowId, firedFor: MOMENT, after } }
      return { workflowId: momentWorkflowId(flowId, MOMENT), starts }
    },
    round: () => reconcileNextPage(deps(), openRowRuns(deps(), MOMENTS), undefined),
  },
]
/** Terminated by an operator, they have failed. */
const FAILING = ['an import', 'a moment of a schedule']

async function seedImport(status: 'receiving' | 'running'): Promise<Uuid> {
  const id = uuidv7()
  await database.sql`
    insert into imports (organization_id, id, status, format, on_duplicate, dry_run, may_lift)
    values (${organizationId}, ${id}, ${status}, 'csv', 'update', false, false)`
  return id
}

const promised = () => database.sql<{ kind: string; payload: object }[]>`
  select kind, payload from outbox where done_at is null order by position`

/** Opens a run that nobody works on. */
const open = (workflowId: string) =>
  temporal.workflow.start('nothing', {
    workflowId,
    taskQueue: CONTROL_QUEUE,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  })

describe.each(KINDS)('$name', ({ name, seed, round }) => {
  it('is started again when Temporal has no run of it, once', async () => {
    const { starts } = await seed()
    await round()
    await round()
    expect(await promised()).toEqual([starts])
  })

  it('is left alone while its run is open', async () => {
    const { workflowId } = await seed()
    await open(workflowId)
    await round()
    expect(await promised()).toEqual([])
  })

  it('goes on when its run was terminated, or has failed', async () => {
    const { workflowId, starts } = await seed()
    await (await open(workflowId)).terminate('by an operator')
    await round()
    expect(await promised()).toEqual(FAILING.includes(name) ? [] : [starts])
  })
})

it('an import whose run was terminated has failed, and says why', async () => {
  const id = await seedImport('running')
  await (await open(importWorkflowId(id))).terminate('by an operator')
  await reconcileNextPage(deps(), openRowRuns(deps(), IMPORTS), undefined)
  expect(await imports.find(database.sql, organizationId, id)).toMatchObject({
    status: 'failed',
    error: 'stopped_by_operator',
  })
})

it('a moment whose run was terminated starts nobody more, and its flow says why', async () => {
  const { sql } = database
  const flowId = await seedTriggered(sql, organizationId, EVERY_HOUR)
  await sql`update flows set firing_for = ${MOMENT} where id = ${flowId}`
  await (await open(momentWorkflowId(flowId, MOMENT))).terminate('by an operator')
  await reconcileNextPage(deps(), openRowRuns(deps(), MOMENTS), undefined)
  const [flow] = await sql`
    select schedule_failed_for, schedule_failure, firing_for from flows where id = ${flowId}`
  expect(flow).toEqual({
    scheduleFailedFor: MOMENT,
    scheduleFailure: 'stopped_by_operator',
    firingFor: null,
  })
})

it('nothing is started of what is over, is still being received, or has time', async () => {
  const { sql } = database
  await seedImport('receiving')
  await seedConfirmation({ mails: 1, days: 2 })
  await seedConfirmation({ mails: 2, days: 29 })
  for (const { seed } of KINDS) await seed()
  await sql`update erasures set status = 'completed', completed_at = now()`
  await sql`update imports set status = 'cancelled', finished_at = now() where status = 'running'`
  await sql`update notice_mails set state = 'skipped'`
  await sql`update connections set checked_at = now()`
  await sql`update flows set firing_for = null, firing_after = null`
  await sql`
    update subscriptions set status = 'unsubscribed' where requested_at < now() - interval '30 days'
      or mails = 0 or (mails = 1 and requested_at < now() - interval '3 days')`
  for (const { round } of KINDS) await round()
  expect(await promised()).toEqual([])
})

it('a run is there again after Temporal lost it, and after it was terminated', async () => {
  const seeded = await Promise.all(KINDS.map(({ seed }) => seed()))
  const workflowIds = seeded.map(({ workflowId }) => workflowId)
  const allRun = async () => {
    const loops = [
      startOpenRowReconcilers(deps()),
      startOpenRowReconcilers(deps()),
      startOutboxRelay(deps()),
    ]
    const statuses = () => Promise.all(workflowIds.map((each) => statusOf(temporal, each)))
    await until(async () => (await statuses()).every((status) => status === 'RUNNING'))
    await Promise.all(loops.map((loop) => loop.stop()))
    return true
  }
  await allRun()
  for (const [index, workflowId] of workflowIds.entries()) {
    const isLost = index % 2 === 0 || /^(?:import|fire)\//.test(workflowId)
    if (isLost) await forgetRuns(temporal, workflowId)
    else await temporal.workflow.getHandle(workflowId).terminate('by an operator')
  }
  expect(await allRun()).toBe(true)
})
