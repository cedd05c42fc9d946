import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { StepOutcome } from '../../activities/steps/step.ts'
import { createSendEmail } from '../../activities/steps/send-email.ts'
import { sandboxControl } from '../../src/dev/sandbox/control.ts'
import type { StepOf } from '../../src/domain/flow.ts'
import { SENDER } from '../../src/main/system.ts'
import { transact } from '../../src/store/sql.ts'
import * as executions from '../../src/store/executions.ts'
import { newKeyringText, parseKeyring } from '../../src/tokens.ts'
import { connectSender, type Sender } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { seedExecution, type SeededExecution, takeStep } from '../support/flow-steps.ts'
import { seedTopic } from '../support/seed.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'

const KEYS = newKeyringText()
const PEOPLE = 600
const KILLS = 4
/** The steps, which the runs of flows would take, are taken by the test itself. */
const TAKERS = 4

let system: Awaited<ReturnType<typeof startTestSystem>>
let sendEmail: ReturnType<typeof createSendEmail>

beforeAll(async () => {
  system = await startTestSystem({ LETTERLOOM_KEYS: KEYS })
  sendEmail = createSendEmail({ keyring: parseKeyring(KEYS), publicUrl: system.apiUrl })
})
afterAll(() => system.stop())
beforeEach(async () => {
  await sandboxControl(system.sandboxUrl).resetFaults()
})

interface Run {
  email: string
  contactId: string
  execution: SeededExecution
  step: StepOf<'send_email'>
}

async function startRuns(sender: Sender, emails: readonly string[], topicId?: string) {
  const { sql } = system
  const contacts = emails.map((email) => ({ email, firstName: 'Ada' }))
  const { failed } = await sender.client.post('/v1/contacts/batch', { body: { contacts } })
  expect(failed).toBe(0)
  const rows = await sql<{ id: string; email: string }[]>`
    select id, email from contacts where organization_id = ${sender.organizationId} order by id`
  const topic =
    topicId ??
    (await seedTopic(
      sql,
      sender.organizationId,
      rows.map(({ id }) => id),
    ))
  const config = {
    subject: 'Welcome, {{ contact.firstName }}',
    html: '<p>Welcome</p>',
    from: SENDER,
    topicId: topic,
  }
  const step = { id: 'hello', type: 'send_email' as const, name: 'Say hello', config }
  const runs: Run[] = []
  for (const { id: contactId, email } of rows) {
    const execution = await seedExecution(sql, sender, { contactId, steps: [step] })
    runs.push({ email, contactId, execution, step })
  }
  return { runs, topicId: topic }
}

const take = ({ execution, step }: Run) => takeStep(system.sql, sendEmail, execution, step)

/** Takes all steps again and again until none waits; answers how each ended. */
async function settle(runs: readonly Run[]): Promise<Map<string, StepOutcome | undefined>> {
  const ends = new Map<string, StepOutcome | undefined>()
  const waiting = [...runs]
  await Promise.all(
    Array.from({ length: TAKERS }, async () => {
      for (let run = waiting.shift(); run; run = waiting.shift()) {
        const outcome = await take(run)
        if (outcome?.kind !== 'wait') ends.set(run.email, outcome)
        else {
          waiting.push(run)
          await sleep(5)
        }
      }
    }),
  )
  return ends
}

/** Recipients of all mails that the account's provider accepted. */
async function acceptedBy({ accountId }: Sender): Promise<string[]> {
  const sandbox = sandboxControl(system.sandboxUrl)
  const recipients: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await sandbox.mails({ account: accountId, ...(cursor ? { cursor } : {}) })
    recipients.push(...page.mails.map(({ recipient }) => recipient))
    if (page.cursor === null) return recipients
    cursor = page.cursor
  }
}

it('each mail of a flow leaves once, through kills and lost answers, and its step says so', async () => {
  const sender = await connectSender(system, 60)
  const sandbox = sandboxControl(system.sandboxUrl)
  const emails = Array.from({ length: PEOPLE }, (_, n) => `reader-${n}@example.com`)
  const { runs } = await startRuns(sender, emails)
  await sandbox.setFaults({ acceptThenResetPercent: 2, serverErrorPercent: 2 }, sender.accountId)
  const settled = settle(runs)
  for (let kills = 0; kills < KILLS; kills++) {
    await sleep(700 + Math.random() * 1_200)
    await killAndWait(system.worker)
  }
  await sandbox.resetFaults(sender.accountId)
  const ends = await settled
  expect([...ends.values()].filter((end) => end?.kind !== 'done')).toEqual([])
  expect(ends.size).toBe(PEOPLE)
  expect((await acceptedBy(sender)).toSorted()).toEqual(emails.toSorted())
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
  const { runs } = await startRuns(sender, emails)
  const of = (kind: (typeof kinds)[number]) =>
    runs.filter(({ email }) => email.startsWith(`${kind}-`))
  // Claimed, refused and put back, again and again.
  await sandbox.setFaults({ throttlePercent: 100, latencyMs: 200 }, accountId)
  for (const run of runs) expect(await take(run)).toMatchObject({ kind: 'wait' })
  await until(async () => ((await sandbox.calls(accountId))['ses:SendEmail'] ?? 0) > 3)

  const linkOf = async ({ execution }: Run): Promise<string> => {
    const [row] = await system.sql<{ link: string }[]>`
      select b.headers -> 0 ->> 'value' as link
      from messages m
      join message_bodies b on b.organization_id = m.organization_id and b.bucket = m.bucket
        and b.id = m.id
      where m.organization_id = ${organizationId} and m.execution_id = ${execution.id}`
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
  const ids = of('ended').map(({ execution }) => execution.id)
  await transact(system.sql, (tx) =>
    executions.end(tx, organizationId, ids, { status: 'cancelled', reason: null }),
  )
  // Longer than a claim that was made before lets its calls begin.
  await sleep(1_500)
  await sandbox.resetFaults(accountId)

  const ends = await settle(runs)
  const outcomes = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      [
        ...new Set(
          of(kind).map(({ email }) => {
            const end = ends.get(email)
            return end && 'reason' in end ? `${end.kind} ${end.reason}` : (end?.kind ?? 'over')
          }),
        ),
      ],
    ]),
  )
  expect(outcomes).toMatchObject({
    left: ['skipped unsubscribed'],
    off: ['skipped topic_unsubscribed'],
    listed: ['skipped complained'],
    moved: ['done'],
    ended: ['over'],
    stays: ['done'],
  })
  for (const kind of ['gone', 'erased']) {
    expect(['over', 'ended contact_deleted']).toContain(outcomes[kind]?.join())
  }
  const wanted = [
    ...of('stays').map(({ email }) => email),
    ...of('moved').map(({ email }) => `new-${email}`),
  ]
  expect((await acceptedBy(sender)).toSorted()).toEqual(wanted.toSorted())
}, 180_000)
