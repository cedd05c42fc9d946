import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createSendEmail } from '../../activities/flows/steps/send-email.ts'
import type { StepOf } from '../../src/domain/flows/flow.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as flowMails from '../../src/store/flows/mails.ts'
import { isBeingMailed } from '../../src/core/delivery/in-flight.ts'
import { recordResults } from '../../src/store/delivery/record-results.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import { claimMails } from '../../src/store/mails/claim-mails.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedExecution, takeStep } from '../support/flow-steps.ts'
import { type Seeded, seedContacts, seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

const DAY_MS = 86_400_000
const PARTITIONS = 90

let database: TestDatabase
let worker: Sql
let seeded: Seeded
let contactIds: string[]
const asked: { query: string; parameters: unknown[] }[] = []
const keyring = parseKeyring(newKeyringText())
const sendEmail = createSendEmail({ keyring, publicUrl: 'https://mail.example' })
const step: StepOf<'send_email'> = {
  id: 'hello',
  type: 'send_email',
  name: 'Say hello',
  config: { subject: 'Hello', html: '<p>Hello</p>', from: 'shop@example.com' },
}

beforeAll(async () => {
  database = await createDatabase()
  // As workers do it: under their role.
  worker = connectAs(database.url, {
    name: 'flow-mails',
    role: 'letterloom_worker',
    onQuery: (query, parameters) => asked.push({ query, parameters }),
  })
  for (let day = 0; day < PARTITIONS; day += 8) {
    await createPartitions(database.sql, Date.now() - day * DAY_MS)
  }
})
afterAll(async () => {
  await worker.end()
  await database.drop()
})
beforeEach(async () => {
  seeded = await seedOrganization(database.sql)
  contactIds = await seedContacts(database.sql, seeded.organizationId, 2)
})

async function mailOf(contactId: string) {
  const execution = await seedExecution(database.sql, seeded, { contactId, steps: [step] })
  const outcome = await takeStep(worker, sendEmail, execution, step)
  const mailId = outcome?.kind === 'wait' ? (outcome.mailId ?? '') : ''
  return { execution, mailId }
}
async function claim(sql = worker) {
  const { organizationId, connectionId } = seeded
  const [first, ...others] = await mailQueue.waiting(database.sql, connectionId, 10)
  const bucket = first?.bucket ?? ''
  const ids = [first, ...others].flatMap((each) => each?.id ?? [])
  const claimId = uuidv7()
  const { mails } = await claimMails(sql, {
    organizationId,
    connectionId,
    bucket,
    claimId,
    ids,
  })
  return { mails, place: { organizationId, bucket, claimId, batchId: null } }
}

it('a person who unsubscribes while a mail of a flow waits or is on its way waits for it, and nobody else does', async () => {
  const [contactId = '', other = ''] = contactIds
  const { organizationId } = seeded
  const look = () =>
    Promise.all([contactId, other].map((id) => isBeingMailed(worker, organizationId, [id])))
  expect(await look()).toEqual([false, false])
  const { mailId } = await mailOf(contactId)
  expect(await look()).toEqual([true, false])
  const { mails, place } = await claim()
  expect(mails).toHaveLength(1)
  expect(await look()).toEqual([true, false])
  await recordResults(worker, place, [
    { id: mailId, outcome: 'sent', messageId: mailId, subject: 'Hello' },
  ])
  expect(await look()).toEqual([false, false])
})

/** The plans of what `act` asks of the ledger. Run again, and undone. */
async function plansOf(act: () => PromiseLike<unknown>): Promise<string[]> {
  asked.length = 0
  await act()
  const statements = asked.filter(({ query }) => /\bmessages\b/.test(query))
  expect(statements.length).toBeGreaterThan(0)
  return Promise.all(
    statements.map(async ({ query, parameters }) => {
      const plan = await database.sql.unsafe(`explain ${query}`, parameters as never[])
      return plan.map((line) => String(line['queryPlan'] ?? line['QUERY PLAN'])).join('\n')
    }),
  )
}
const days = (plan: string) =>
  new Set([...plan.matchAll(/\bmessages_(\d{8})\b/g)].map(([, day]) => day)).size

it('queries of the step and the mail queue read one partition of the ledger, of ninety', async () => {
  const [contactId = ''] = contactIds
  const { organizationId } = seeded
  const { execution, mailId } = await mailOf(contactId)
  const plans = [
    ...(await plansOf(() => claim())),
    ...(await plansOf(() => flowMails.find(worker, organizationId, mailId))),
    ...(await plansOf(() => flowMails.listOfExecution(worker, organizationId, execution))),
  ]
  for (const plan of plans) expect([days(plan) <= 8, plan]).toEqual([true, plan])
  expect(plans.slice(0, 2).map(days)).toEqual([1, 1])
})

it('the claim of a receipt looks at no execution', async () => {
  const { organizationId, connectionId } = seeded
  await enqueue(database.sql, {
    organizationId,
    id: uuidv7(),
    source: 'transactional',
    connectionId,
    contactId: contactIds[0] ?? '',
    recipient: 'reader-1@example.com',
    from: 'shop@example.com',
    subject: 'Receipt',
    text: 'Thanks',
  })
  asked.length = 0
  const { mails } = await claim()
  expect(mails).toHaveLength(1)
  const statement = asked.find(({ query }) => /with live as/.test(query))
  // Once more, as it was.
  await database.sql`delete from claims`
  await database.sql`
    update messages
    set state = 'queued', claim_id = null, claimed_at = null
    where organization_id = ${organizationId}`
  const rows = await database.sql.unsafe(
    `explain (analyze, timing off) ${statement?.query ?? ''}`,
    (statement?.parameters ?? []) as never[],
  )
  const plan = rows.map((line) => String(line['queryPlan'] ?? line['QUERY PLAN']))
  const looks = plan.filter((line) =>
    /Scan.* on (?:executions|execution_steps|subscriptions)/.test(line),
  )
  expect(looks.length).toBeGreaterThanOrEqual(3)
  expect(looks.filter((line) => !line.includes('never executed'))).toEqual([])
})
