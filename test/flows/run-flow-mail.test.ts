import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { FakeOutcome } from '../support/mailer.ts'
import * as executions from '../../src/store/flows/executions.ts'
import * as operations from '../../src/core/flows/retry-and-cancel.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { executionWorkflowId } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { executionRow, path, seedExecutions, seedFlow, type StepSketch } from '../support/flows.ts'
import { fakeMailer, sent } from '../support/mailer.ts'
import { type Seeded, seedContacts, seedOrganization } from '../support/seed.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Workflow failed runFlow .*failed: MessageRejected$/)

/** Far less than the fifteen minutes after which a run that nobody woke looks again. */
const SOON_MS = 120_000
const PEOPLE = 20

let database: TestDatabase
let sql: Sql
let engine: Engine
let seeded: Seeded
let answer: (to: string) => FakeOutcome
const mailer = fakeMailer(({ to }) => answer(to))

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  engine = await startEngine({ databaseUrl: database.url, mailer })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})
beforeEach(async () => {
  seeded = await seedOrganization(sql)
  answer = sent
  mailer.accepted.length = 0
})

const mail = (id: string): StepSketch => ({
  id,
  type: 'send_email',
  config: { subject: `${id} {{ contact.firstName }}`, html: '<p>Hi</p>', from: 'a@example.com' },
})
const start = async (count: number, steps = [mail('first'), mail('second')]) => {
  const flow = await seedFlow(sql, seeded.organizationId, { steps })
  const contactIds = await seedContacts(sql, seeded.organizationId, count)
  const ids = await seedExecutions(sql, flow, contactIds, { isEnqueued: true })
  return { contactIds, ids, only: ids[0] ?? '' }
}
const ended = (ids: readonly string[]) =>
  until(async () => {
    const open = await sql`
      select from executions
      where id = any(${[...ids]}::uuid[]) and status in ${executions.live(sql)}`
    return open.length === 0
  }, SOON_MS)
const stateOf = async (executionId: string) =>
  sql`select state, reason from messages where execution_id = ${executionId} order by id`

it('two mails in a row leave one after the other, once each, and wake their run', async () => {
  const { ids } = await start(PEOPLE)
  await ended(ids)
  for (const id of ids) {
    expect(await executionRow(sql, id)).toMatchObject({ status: 'completed' })
    expect(await path(sql, id)).toEqual(['first completed', 'second completed'])
  }
  const subjects = mailer.calls.map(({ to, subject }) => `${to} ${subject}`)
  expect(new Set(subjects).size).toBe(2 * PEOPLE)
  expect(mailer.accepted).toHaveLength(2 * PEOPLE)
  const [result] = await sql<{ result: { messageId: string; mailId: string } }[]>`
    select result from execution_steps where execution_id = ${ids[0] ?? ''} order by position`
  const [row] = await sql`
    select message_id from messages where id = ${result?.result.mailId ?? ''}`
  expect(row).toEqual({ messageId: result?.result.messageId })
})

it('a contact that cannot be mailed goes on without; one that unsubscribes in between gets the first mail only', async () => {
  const { ids, only, contactIds } = await start(1, [
    mail('first'),
    { id: 'pause', type: 'delay', config: { amount: 1, unit: 'minutes' } },
  ])
  await until(async () => (await executionRow(sql, only)).status === 'paused', SOON_MS)
  await sql`update contacts set email_status = 'unsubscribed' where id = any(${contactIds}::uuid[])`
  const flow = await seedFlow(sql, seeded.organizationId, { steps: [mail('late'), mail('later')] })
  const [second = ''] = await seedExecutions(sql, flow, contactIds, { isEnqueued: true })
  await ended([second])
  expect(await executionRow(sql, second)).toMatchObject({ status: 'completed' })
  expect(await path(sql, second)).toEqual(['late skipped', 'later skipped'])
  expect(mailer.accepted).toHaveLength(1)
  await transact(sql, (tx) =>
    executions.end(tx, seeded.organizationId, ids, { status: 'cancelled', reason: null }),
  )
})

it('a refused mail fails its run there, with the reason; the second is never made', async () => {
  answer = () => ({ kind: 'refused', reason: 'MessageRejected', error: 'not verified' })
  const { only } = await start(1)
  await ended([only])
  expect(await executionRow(sql, only)).toMatchObject({
    status: 'failed',
    reason: 'MessageRejected',
    stepId: 'first',
  })
  expect(await path(sql, only)).toEqual(['first failed'])
  expect(await stateOf(only)).toEqual([{ state: 'failed', reason: 'MessageRejected' }])
  const run = engine.client.workflow.getHandle(executionWorkflowId(only, 1))
  await until(async () => (await run.describe()).status.name === 'FAILED', SOON_MS)
})

it('retried after that sends the one that failed, once, and goes on', async () => {
  answer = () => ({ kind: 'refused', reason: 'MessageRejected', error: 'not verified' })
  const { only } = await start(1)
  await ended([only])
  answer = sent
  await transact(sql, (tx) => operations.retry(tx, seeded.organizationId, only, 'r'))
  await until(async () => (await executionRow(sql, only)).status === 'completed', SOON_MS)
  expect(await path(sql, only)).toEqual(['first completed try 2', 'second completed'])
  expect((await stateOf(only)).map(({ state }) => state)).toEqual(['failed', 'sent', 'sent'])
  expect(mailer.accepted).toHaveLength(2)
})

it('an engagement with the mail takes its branch, also when it was before the wait', async () => {
  const wait: StepSketch = {
    id: 'wait',
    type: 'wait_for_email_engagement',
    config: {
      stepId: 'first',
      events: ['clicked', 'opened'],
      timeout: { amount: 1, unit: 'days' },
    },
  }
  const { only } = await start(1, [mail('first'), wait, { ...wait, id: 'again' }])
  await until(async () => (await executionRow(sql, only)).status === 'waiting', SOON_MS)
  const [row] = await sql<{ id: string; bucket: string }[]>`
    select id, bucket from messages where execution_id = ${only}`
  const now = new Date().toISOString()
  const tags = { 'letterloom-message': [`${row?.bucket}_${row?.id}`] }
  const detail = {
    eventType: 'Open',
    mail: { timestamp: now, messageId: 'm', tags },
    open: { timestamp: now, userAgent: 'Mail' },
  }
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    values (${seeded.organizationId}, ${seeded.connectionId}, ${only}, ${sql.json({ detail })})`
  await ended([only])
  // By the time of the second wait the mail has been opened.
  expect(await path(sql, only)).toEqual([
    'first completed',
    'wait completed opened',
    'again completed opened',
  ])
})

it('cancelled while its mail waits: nothing leaves, and the run closes', async () => {
  await sql`update connections set is_verified = false where id = ${seeded.connectionId}`
  const { only } = await start(1)
  await until(async () => (await stateOf(only)).length === 1, SOON_MS)
  await transact(sql, (tx) =>
    executions.end(tx, seeded.organizationId, [only], { status: 'cancelled', reason: 'asked' }),
  )
  await sql`update connections set is_verified = true where id = ${seeded.connectionId}`
  await until(async () => (await stateOf(only))[0]?.['state'] === 'skipped', SOON_MS)
  expect(await stateOf(only)).toEqual([{ state: 'skipped', reason: 'execution_ended' }])
  expect(mailer.accepted).toEqual([])
  expect(await path(sql, only)).toEqual(['first skipped'])
  const run = engine.client.workflow.getHandle(executionWorkflowId(only, 1))
  await until(async () => (await run.describe()).status.name !== 'RUNNING', SOON_MS)
})
