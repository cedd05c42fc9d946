import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { ApiFailure } from '../../src/client/index.ts'
import { eachOf } from '../../src/core/accounts/account-search.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import { transact } from '../../src/store/db/sql.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { acceptedBy, connectSender, type Sender } from '../support/cohorts.ts'
import { type Cuttable, openCuttable } from '../support/cuttable.ts'
import { until } from '../support/engine.ts'
import { seedExecutions, seedFlow } from '../support/flows.ts'
import { seedTopic } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'
import { guarantee } from '../support/guarantee.ts'

/** Single mail, and mail of flows: whatever leaves by the mail queue. */
const SETS = sized(16, 200)
const SET = sized(5, 20)
/** Between two sets, so that kills meet them. */
const PAUSE_MS = sized(100, 0)
/** Of the API and the worker in turns; of the API alone where another test kills the worker. */
const KILLS = sized(1, 4)
const DOWN_MS = sized(2_000, 5_000)
const DOWN_MAILS = sized(8, 40)
const RACES = sized(24, 1_000)
/** Of the flows. */
const PEOPLE = sized(40, 300)
const FLOW_RATE = sized(15, 60)
const FLOW_KILLS = sized(1, 4)
const READERS = Array.from({ length: PEOPLE }, (_, n) => `reader-${n}@example.com`)
const OF_EACH_KIND = sized(2, 4)
/** Few mails meet as many faults as many do. */
const FAULTS = { acceptThenResetPercent: sized(8, 2), serverErrorPercent: sized(8, 2) }
const LONGEST_MS = 240_000
const MOST_MS = 2 * LONGEST_MS

let temporal: Cuttable
let system: Awaited<ReturnType<typeof startTestSystem>>
/** Of the two tests that run at once: what the second asks of the API is done before a kill. */
let killed: { single: Sender; flow: Sender }
beforeAll(async () => {
  temporal = await openCuttable(inject('temporalAddress'))
  system = await startTestSystem({ TEMPORAL_ADDRESS: temporal.address })
  killed = {
    single: await connectSender(system, 500),
    flow: await connectSender(system, FLOW_RATE),
  }
  await addContacts(killed.flow, READERS)
}, LONGEST_MS)
afterAll(async () => {
  await system.stop()
  await temporal.close()
})

const receipt = (to: string) => ({ to, from: SENDER, subject: 'Receipt', text: 'Thanks' })

/** One after the other; the API is up again before the next. */
async function killSome(): Promise<void> {
  for (let kills = 0; kills < KILLS; kills++) {
    await sleep(300 + Math.random() * 700)
    await killAndWait(kills % 2 === 0 ? system.api : system.worker)
    await until(async () => {
      const answer = await fetch(`${system.apiUrl}/health`).catch(() => undefined)
      return answer?.ok
    }, LONGEST_MS)
  }
}

const statesOf = (organizationId: string) => system.sql`
  select state, reason, count(*)::int as mails
  from messages
  where organization_id = ${organizationId}
  group by state, reason
  order by state`

interface Run {
  email: string
  contactId: string
  executionId: string
}

async function addContacts({ client }: Sender, emails: readonly string[]): Promise<void> {
  const contacts = emails.map((email) => ({ email, firstName: 'Ada' }))
  const { failed } = await client.post('/v1/contacts/batch', { body: { contacts } })
  expect(failed).toBe(0)
}

/** A flow of one mail to a topic's subscribers, and a run of it for each contact. */
async function startRuns({ organizationId }: Sender): Promise<Run[]> {
  const { sql } = system
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

/** Until all mails have left; each went to one of those given, once. */
async function allSentOnce(sender: Sender, given: readonly string[]): Promise<void> {
  await until(async () => {
    const states = await statesOf(sender.organizationId)
    return states.every(({ state }) => state === 'sent')
  }, LONGEST_MS)
  const recipients = await recipientsOf(sender)
  guarantee(() => expect(recipients.toSorted()).toEqual(given.toSorted()))
}

it.concurrent(
  'what was accepted is sent once, however often the API and the worker are killed',
  async () => {
    const sender = killed.single
    const { client, accountId } = sender
    const sandbox = sandboxControl(system.sandboxUrl)
    await sandbox.setFaults(FAULTS, accountId)
    const given: string[] = []
    const killing = killSome()
    for (let set = 0; set < SETS; set++) {
      const addresses = Array.from({ length: SET }, (_, n) => `reader-${set}-${n}@example.com`)
      // The client tries again under one Idempotency-Key.
      const answer = await keepTrying(() =>
        client.post('/v1/email/send/batch', {
          body: { emails: addresses.map(receipt) },
          headers: { 'idempotency-key': `set-${set}` },
        }),
      )
      expect(answer).toMatchObject({ accepted: SET, failed: 0 })
      given.push(...addresses)
      await sleep(PAUSE_MS)
    }
    await killing
    await sandbox.resetFaults(accountId)
    await allSentOnce(sender, given)
  },
  MOST_MS,
)

it.concurrent(
  'each mail of a flow leaves once, through kills and lost answers, and its step says so',
  async () => {
    const sender = killed.flow
    const sandbox = sandboxControl(system.sandboxUrl)
    const runs = await startRuns(sender)
    await sandbox.setFaults(FAULTS, sender.accountId)
    const settled = settle(runs)
    for (let kills = 0; kills < FLOW_KILLS; kills++) {
      await sleep(700 + Math.random() * 1_200)
      await killAndWait(system.worker)
    }
    await sandbox.resetFaults(sender.accountId)
    const ends = await settled
    expect([...ends.values()].filter((end) => end !== 'completed, completed')).toEqual([])
    expect(ends.size).toBe(PEOPLE)
    const recipients = await recipientsOf(sender)
    guarantee(() => expect(recipients.toSorted()).toEqual(READERS.toSorted()))
    const ledger = await system.sql`
    select state, count(*)::int as mails from messages
    where organization_id = ${sender.organizationId} group by state`
    expect(ledger).toEqual([{ state: 'sent', mails: PEOPLE }])
  },
  MOST_MS,
)

it(
  'a mail that was taken back is not sent, and one that was not is',
  async () => {
    const sender = await connectSender(system, 500)
    const { client, organizationId } = sender
    const cancelled: string[] = []
    const kept: string[] = []
    // The API answers 500 connections of one address.
    await eachOf([...Array(RACES).keys()], 250, async (n) => {
      const to = `race-${n}@example.com`
      const { id } = await client.post('/v1/email/send', { body: receipt(to) })
      // From before the dispatcher wakes until after the call.
      await sleep(Math.random() * 600)
      const refusal = await client.post('/v1/email/{id}/cancel', { params: { path: { id } } }).then(
        () => undefined,
        (error: unknown) => error,
      )
      const late = expect.objectContaining({ status: 409, reason: 'email_not_waiting' })
      expect([undefined, late]).toContainEqual(refusal)
      if (refusal === undefined) cancelled.push(to)
      else kept.push(to)
    })
    await until(async () => {
      const states = await statesOf(organizationId)
      return states.every(({ state, reason }) => state === 'sent' || reason === 'cancelled')
    }, LONGEST_MS)
    const recipients = await recipientsOf(sender)
    guarantee(() => expect(recipients.toSorted()).toEqual(kept.toSorted()))
    expect(cancelled.length + kept.length).toBe(RACES)
  },
  MOST_MS,
)

it(
  'what is accepted while Temporal is down is sent all the same, once',
  async () => {
    const sender = await connectSender(system, 500)
    const { client } = sender
    const given = Array.from({ length: DOWN_MAILS }, (_, n) => `down-${n}@example.com`)
    temporal.cut()
    try {
      for (const to of given) {
        await client.post('/v1/email/send', { body: receipt(to) })
      }
      await sleep(DOWN_MS)
      await allSentOnce(sender, given)
      expect(await recipientsOf(sender)).toHaveLength(DOWN_MAILS)
    } finally {
      temporal.mend()
    }
    await allSentOnce(sender, given)
  },
  MOST_MS,
)

/** While the API is started again it cannot be reached for longer than the client waits. */
async function keepTrying<T>(call: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + 60_000; ; ) {
    try {
      return await call()
    } catch (error) {
      if (error instanceof ApiFailure && error.status < 500 && error.status !== 409) throw error
      if (performance.now() > until) throw error
      await sleep(200)
    }
  }
}

it(
  'whatever becomes of a person while their mail is on its way, nobody is mailed wrongly',
  async () => {
    const sender = await connectSender(system, 50)
    const { client, organizationId, accountId } = sender
    const sandbox = sandboxControl(system.sandboxUrl)
    const kinds = ['gone', 'erased', 'left', 'off', 'listed', 'moved', 'ended', 'stays'] as const
    const emails = kinds.flatMap((kind) =>
      Array.from({ length: OF_EACH_KIND }, (_, n) => `${kind}-${n}@example.com`),
    )
    // Claimed, refused and put back, again and again.
    await sandbox.setFaults({ throttlePercent: 100, latencyMs: 200 }, accountId)
    await addContacts(sender, emails)
    const runs = await startRuns(sender)
    const of = (kind: (typeof kinds)[number]) =>
      runs.filter(({ email }) => email.startsWith(`${kind}-`))
    await until(async () => {
      const mails = await system.sql`
      select from messages where organization_id = ${organizationId} and execution_id is not null`
      return mails.length === runs.length
    }, LONGEST_MS)
    await until(
      async () => ((await sandbox.calls(accountId))['ses:SendEmail'] ?? 0) > 3,
      LONGEST_MS,
    )

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
    for (const { contactId } of of('gone'))
      await client.delete('/v1/contacts/{id}', byId(contactId))
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
    await sleep(SHORT_TIMINGS.beginMs + 2_000)
    await sandbox.resetFaults(accountId)

    const ends = await settle(runs)
    const outcomes = Object.fromEntries(
      kinds.map((kind) => [
        kind,
        [...new Set(of(kind).map(({ email }) => ends.get(email)))].join(),
      ]),
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
  },
  MOST_MS,
)
