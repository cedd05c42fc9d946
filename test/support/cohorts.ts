import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../../src/client/index.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import type { MailSummary } from '../../tools/sandbox/mails.ts'
import { isSimulator } from '../../tools/sandbox/plan.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { connectSandbox, SENDER, type System } from '../../src/main/dev/system.ts'

const POLL_MS = 200
const LONGEST_MS = 600_000

type TestSystem = System & { folder: string }

export interface Sender {
  client: Client
  key: string
  organizationId: Uuid
  topicId: Uuid
  accountId: string
}

/** A customer whose account may send `rate` mails a second, and a topic with double opt-in. */
export async function connectSender(system: TestSystem, rate: number): Promise<Sender> {
  const accountId = String(Math.floor(1e11 + Math.random() * 8e11))
  const { organizationId, key } = await createOrganization(system.sql, {
    name: 'Cats Ltd',
    ownerEmail: `${uuidv7()}@letterloom.example`,
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  await connectSandbox(system, client, { accountId, maxSendRate: rate, max24Hour: 1e8 })
  const topic = await client.post('/v1/topics', {
    body: { name: 'Cats', doubleOptIn: true, from: SENDER },
  })
  return { client, key, organizationId, topicId: topic.id, accountId }
}

/** Accepted mails of the sender's account, oldest first, without probes. */
export async function acceptedBy(
  { sandboxUrl }: Pick<System, 'sandboxUrl'>,
  { accountId }: Sender,
): Promise<MailSummary[]> {
  const sandbox = sandboxControl(sandboxUrl)
  const mails: MailSummary[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await sandbox.mails({ account: accountId, ...(cursor ? { cursor } : {}) })
    mails.push(...page.mails)
    if (page.cursor === null) break
    cursor = page.cursor
  }
  return mails.filter(({ recipient }) => !isSimulator(recipient)).toReversed()
}

/** Uploads a file of people who are to be subscribed to the topic. */
export async function importPeople(
  system: TestSystem,
  { key, topicId }: Sender,
  people: number,
): Promise<void> {
  const lines = Array.from({ length: people }, (_, n) => `reader-${n}@example.com,Reader ${n}\n`)
  const response = await fetch(`${system.apiUrl}/v1/contacts/import?topicIds=${topicId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
    body: `email,firstName\n${lines.join('')}`,
  })
  if (response.status !== 202) throw new Error(await response.text())
}

/** States of the requested confirmations. */
async function outcome(system: TestSystem, { organizationId }: Sender) {
  const [rows] = await system.sql<
    {
      mails: number
      people: number
      sent: number
      open: number
      pending: number
      mailed: number
    }[]
  >`
    select
      (select count(*) from messages
        where organization_id = ${organizationId} and source = 'confirmation') as mails,
      (select count(distinct contact_id) from messages
        where organization_id = ${organizationId} and source = 'confirmation') as people,
      (select count(*) from messages
        where organization_id = ${organizationId} and state = 'sent') as sent,
      (select count(*) from messages
        where organization_id = ${organizationId}
          and state in ('queued', 'claimed', 'unknown')) as open,
      (select count(*) from subscriptions
        where organization_id = ${organizationId} and status = 'pending') as pending,
      (select count(*) from subscriptions
        where organization_id = ${organizationId} and mails = 1) as mailed`
  return rows!
}

/** Accepted mails to people. A verification also mails the simulator. */
async function mailsOf(system: TestSystem, sender: Sender) {
  const recipients = (await acceptedBy(system, sender)).map(({ recipient }) => recipient)
  const unique = new Set(recipients).size
  return { accepted: recipients.length, unique, duplicates: recipients.length - unique }
}

/** Waits until each of `people` was mailed. Returns the outcome and the duration. */
export async function allMailed(system: TestSystem, sender: Sender, people: number) {
  const startedAt = performance.now()
  let decidedMs = 0
  for (;;) {
    const now = await outcome(system, sender)
    const ms = performance.now() - startedAt
    if (decidedMs === 0 && now.mailed === people) decidedMs = ms
    if (now.sent === people && now.open === 0) {
      return { ...now, ...(await mailsOf(system, sender)), decidedMs, sentMs: ms }
    }
    if (ms > LONGEST_MS) throw new Error(`not all were mailed: ${JSON.stringify(now)}`)
    await sleep(POLL_MS)
  }
}
