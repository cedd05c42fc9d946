import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { SENDER } from '../../src/main/system.ts'
import { transact } from '../../src/store/db/sql.ts'
import { acceptedBy, connectSender, type Sender } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { seedExecutions, seedFlow } from '../support/flows.ts'
import { seedTopic } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'

const PEOPLE = sized(150, 300)
const KILLS = 4
const LONGEST_MS = 240_000

let system: Awaited<ReturnType<typeof startTestSystem>>

beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())
beforeEach(async () => {
  await sandboxControl(system.sandboxUrl).resetFaults()
})

interface Run {
  email: string
  contactId: string
  executionId: string
}

/** A flow of one mail to a topic's subscribers, and a run of it for each address. */
async function startRuns(sender: Sender, emails: readonly string[]): Promise<Run[]> {
  const { sql } = system
  const { organizationId } = sender
  const contacts = emails.map((email) => ({ email, firstName: 'Ada' }))
  const { failed } = await sender.client.post('/v1/contacts/batch', { body: { contacts } })
  expect(failed).toBe(0)
  const rows = await sql<{ id: string; email: string }[]>`
    select id, email from contacts where organization_id = ${organizationId} order by id`
  const contactIds = rows.map(({ id }) => id)
  const config = {
    subject: 'Welcome, {{ contact.firstName }}',
    html: '<p>Welcome</p>',
    from: SENDER,
    topicId: await seedTopic(sql, organizationId, contactIds),
  }
  const steps = [{ id: 'hello', type: 'send_email' as const, config }]
  const flow = await seedFlow(sql, organizationId, { steps })
  const ids = await seedExecutions(sql, flow, contactIds, { isEnqueued: true })
  return rows.map(({ id: contactId, email }, i) => {
    return { email, contactId, executionId: ids[i] ?? '' }
  })
}

/** Until all runs are over; returns how each ended: `completed, completed`, `cancelled, …`. */
async function settle(runs: readonly Run[]): Promise<Map<string, string>> {
  const { sql } = system
  const ids = runs.map(({ executionId }) => executionId)
  await until(async () => {
    const open = await sql`
      select from executions
      where id = any(${ids}::uuid[]) and status in ${executions.live(sql)}`
    return open.length === 0
  }, LONGEST_MS)
  const rows = await sql<{ id: string; end: string }[]>`
    select e.id, concat_ws(' ', e.status, e.reason) || ', ' || concat_ws(' ', s.status, s.reason) as end
    from executions e
    join execution_steps s on s.organization_id = e.organization_id and s.execution_id = e.id
    where e.id = any(${ids}::uuid[])`
  const ends = new Map(rows.map(({ id, end }) => [id, end]))
  return new Map(runs.map(({ email, executionId }) => [email, ends.get(executionId) ?? 'none']))
}

/** Recipients of all mails that the account's provider accepted. */
const recipientsOf = async (sender: Sender): Promise<string[]> =>
  (await acceptedBy(system, sender)).map(({ recipient }) => recipient)

it('each mail of a flow leaves once, through kills and lost answers, and its step says so', async () => {
  const sender = await connectSender(system, 60)
  const sandbox = sandboxControl(system.sandboxUrl)
  const emails = Array.from({ length: PEOPLE }, (_, n) => `reader-${n}@example.com`)
  const runs = await startRuns(sender, emails)
  await sandbox.setFaults({ acceptThenResetPercent: 2, serverErrorPercent: 2 }, sender.accountId)
  const settled = settle(runs)
  for (let kills = 0; kills < KILLS; kills++) {
    await sleep(700 + Math.random() * 1_200)
    await killAndWait(system.worker)
  }
  await sandbox.resetFaults(sender.accountId)
  const ends = await settled
  expect([...ends.values()].filter((end) => end !== 'completed, completed')).toEqual([])
  expect(ends.size).toBe(PEOPLE)
  expect((await recipientsOf(sender)).toSorted()).toEqual(emails.toSorted())
  const ledger = await system.sql`
    select state, count(*)::int as mails from messages
    where organization_id = ${sender.organizationId} group by state`
  expect(ledger).toEqual([{ state: 'sent', mails: PEOPLE }])
}, 300_000)

it('whatever becomes of a person while their mail is on its way, nobody is mailed wrongly', async () => {
  const sender = await connectSender(system, 50)
  const { client, organizationId, accountId } = sender
  const sandbox = sandboxControl(system.sandboxUrl)
  const kinds = ['gone', 'erased', 'left', 'off', 'listed', 'moved', 'ended', 'stays'] as const
  const EACH = 4
  const emails = kinds.flatMap((kind) =>
    Array.from({ length: EACH }, (_, n) => `${kind}-${n}@example.com`),
  )
  // Claimed, refused and put back, again and again.
  await sandbox.setFaults({ throttlePercent: 100, latencyMs: 200 }, accountId)
  const runs = await startRuns(sender, emails)
  const of = (kind: (typeof kinds)[number]) =>
    runs.filter(({ email }) => email.startsWith(`${kind}-`))
  await until(async () => {
    const mails = await system.sql`
      select from messages where organization_id = ${organizationId} and execution_id is not null`
    return mails.length === runs.length
  }, LONGEST_MS)
  await until(async () => ((await sandbox.calls(accountId))['ses:SendEmail'] ?? 0) > 3)

  const linkOf = async ({ executionId }: Run): Promise<string> => {
    const [row] = await system.sql<{ link: string }[]>`
      select b.headers -> 0 ->> 'value' as link
      from messages m
      join message_bodies b on b.organization_id = m.organization_id and b.bucket = m.bucket
        and b.id = m.id
      where m.organization_id = ${organizationId} and m.execution_id = ${executionId}`
    return (row?.link ?? '').slice(1, -1)
  }
  const byId = (id: string) => ({ params: { path: { id } } })
  for (const { contactId } of of('gone')) await client.delete('/v1/contacts/{id}', byId(contactId))
  for (const { contactId } of of('erased')) {
    await client.post('/v1/contacts/{id}/erase', byId(contactId))
  }
  for (const run of of('left')) {
    const body = new URLSearchParams({ scope: 'all' })
    expect((await fetch(await linkOf(run), { method: 'POST', body })).status).toBe(200)
  }
  for (const run of of('off')) {
    expect((await fetch(await linkOf(run), { method: 'POST' })).status).toBe(200)
  }
  for (const { email } of of('listed')) {
    await client.post('/v1/suppressions', { body: { email, reason: 'complained' } })
  }
  for (const { contactId, email } of of('moved')) {
    const body = { email: `new-${email}` }
    await client.patch('/v1/contacts/{id}', { ...byId(contactId), body })
  }
  const ids = of('ended').map(({ executionId }) => executionId)
  await transact(system.sql, (tx) =>
    executions.end(tx, organizationId, ids, { status: 'cancelled', reason: 'asked' }),
  )
  // Longer than a claim that was made before lets its calls begin.
  await sleep(1_500)
  await sandbox.resetFaults(accountId)

  const ends = await settle(runs)
  const outcomes = Object.fromEntries(
    kinds.map((kind) => [kind, [...new Set(of(kind).map(({ email }) => ends.get(email)))].join()]),
  )
  expect(outcomes).toEqual({
    gone: 'cancelled contact_deleted, skipped contact_deleted',
    erased: 'cancelled contact_deleted, skipped contact_deleted',
    left: 'completed, skipped unsubscribed',
    off: 'completed, skipped topic_unsubscribed',
    listed: 'completed, skipped complained',
    moved: 'completed, completed',
    ended: 'cancelled asked, skipped asked',
    stays: 'completed, completed',
  })
  const wanted = [
    ...of('stays').map(({ email }) => email),
    ...of('moved').map(({ email }) => `new-${email}`),
  ]
  expect((await recipientsOf(sender)).toSorted()).toEqual(wanted.toSorted())
}, 180_000)
