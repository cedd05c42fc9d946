import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRoles } from '../../activities/aws/roles.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { connectSender, type Sender } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { REGION } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'

/** An account whose delivery events have no tags, in any order, some of them twice. */
const PEOPLE = sized(50, 200)
const BOUNCING = PEOPLE / 5
const QUEUED = sized(15, 30)
const QUEUED_BOUNCING = 5
const PATIENCE_MS = 180_000
const LONGEST_MS = 480_000

let system: Awaited<ReturnType<typeof startTestSystem>>
let sandbox: ReturnType<typeof sandboxControl>
let sender: Sender

beforeAll(async () => {
  system = await startTestSystem()
  sandbox = sandboxControl(system.sandboxUrl)
  sender = await connectSender(system, 200)
  await sandbox.setFaults(
    { eventsUntagged: true, eventShuffle: true, eventShuffleMs: 1_000, eventDuplicatePercent: 30 },
    sender.accountId,
  )
})
afterAll(() => system.stop())

const logs = async (query: object) =>
  (await sender.client.get('/v1/email/logs', { params: { query: { limit: 100, ...query } } })).logs

test(
  'every event of a batch finds its mail, and none makes a row of another program',
  async () => {
    const contacts = Array.from({ length: PEOPLE }, (_, n) => ({
      email:
        n < BOUNCING ? `bounce+${n}@simulator.amazonses.com` : `ooto+${n}@simulator.amazonses.com`,
    }))
    await sender.client.post('/v1/contacts/batch', { body: { contacts } })
    const { id } = await sender.client.post('/v1/batch', {
      body: { audienceType: 'all', from: SENDER, subject: 'News', htmlContent: '<p>News</p>' },
    })
    const batch = await until(async () => {
      const found = await sender.client.get('/v1/batch/{id}', { params: { path: { id } } })
      const settled = found.delivered + found.bounced === PEOPLE
      return found.status === 'completed' && settled && found
    }, PATIENCE_MS)
    expect(batch).toMatchObject({
      sent: PEOPLE,
      delivered: PEOPLE - BOUNCING,
      bounced: BOUNCING,
      duplicates: 0,
    })
    expect(await logs({ sourceType: 'external' })).toEqual([])
    const { total } = await sender.client.get('/v1/contacts', {
      params: { query: { emailStatus: 'bounced' } },
    })
    expect(total).toBe(BOUNCING)
  },
  LONGEST_MS,
)

test(
  'what another program sends through the account is in the log, and its bounce counts',
  async () => {
    const recipient = 'bounce+other@simulator.amazonses.com'
    await sender.client.post('/v1/contacts', { body: { email: recipient } })
    const messageId = await sendAsAnother(recipient)
    const log = await until(async () => {
      const [found] = await logs({ recipient })
      return found?.status === 'bounced' && found
    }, PATIENCE_MS)
    expect(log).toMatchObject({ sourceType: 'external', messageId, subject: 'Your invoice' })
    expect(await logs({ sourceType: 'external' })).toHaveLength(1)
    const { contacts } = await sender.client.get('/v1/contacts', {
      params: { query: { search: recipient } },
    })
    expect(contacts.map(({ emailStatus }) => emailStatus)).toEqual(['bounced'])
  },
  LONGEST_MS,
)

test(
  'by a queue alone all events of a batch come, each once, though the worker is killed meanwhile',
  async () => {
    const { accountId, client } = sender
    const before = await system.sql`select from inbound_events where error is null`
    const queue = { region: REGION, name: 'letterloom-events' }
    await sandbox.setFaults({ eventsUntagged: false }, accountId)
    await sandbox.putAccount(accountId, {
      region: REGION,
      queues: [{ name: queue.name, deadLetterQueue: 'undelivered', maxReceiveCount: 100 }],
      webhooks: [{ queue: queue.name, region: REGION }],
    })
    const { connections } = await client.get('/v1/connections')
    const id = connections.find((each) => each.accountId === accountId)?.id ?? ''
    await client.patch('/v1/connections/{id}', {
      params: { path: { id } },
      body: {
        eventQueueUrl: `https://sqs.${REGION}.amazonaws.com/${accountId}/${queue.name}`,
      },
    })
    const given = Array.from({ length: QUEUED }, (_, n) => ({
      email:
        n < QUEUED_BOUNCING
          ? `bounce+q${n}@simulator.amazonses.com`
          : `success+q${n}@simulator.amazonses.com`,
    }))
    const { results } = await client.post('/v1/contacts/batch', { body: { contacts: given } })
    const contactIds = results.flatMap((each) => ('id' in each && each.id ? [each.id] : []))
    const { id: batchId } = await client.post('/v1/batch', {
      body: {
        audienceType: 'contacts',
        contactIds,
        from: SENDER,
        subject: 'News',
        htmlContent: '<p>News</p>',
      },
    })
    const find = () => client.get('/v1/batch/{id}', { params: { path: { id: batchId } } })
    await until(async () => (await find()).sent === QUEUED, PATIENCE_MS)
    await killAndWait(system.worker)
    // What it had received is hidden for a while.
    const batch = await until(async () => {
      const found = await find()
      return found.status === 'completed' && found.delivered + found.bounced === QUEUED && found
    }, PATIENCE_MS)
    expect(batch).toMatchObject({
      sent: QUEUED,
      delivered: QUEUED - QUEUED_BOUNCING,
      bounced: QUEUED_BOUNCING,
      duplicates: 0,
    })
    await until(async () => {
      const { visible, hidden } = await sandbox.queue(accountId, queue)
      return visible + hidden === 0
    }, PATIENCE_MS)
    const calls = await sandbox.calls(accountId)
    expect(calls['sqs:DeleteMessageBatch']).toBeGreaterThan(0)
    const kept = await system.sql`select from inbound_events where error is null`
    expect(kept.length - before.length).toBeGreaterThanOrEqual(2 * QUEUED)
    const [contacts] = await system.sql`
    select sum(emails_sent)::int as sent
    from contact_stats where contact_id = any(${contactIds}::uuid[])`
    expect(contacts).toEqual({ sent: QUEUED })
  },
  LONGEST_MS,
)

/** Through the same role, without a tag. Returns the provider's message id. */
async function sendAsAnother(recipient: string): Promise<string | undefined> {
  process.env['AWS_ENDPOINT_URL'] = system.sandboxUrl
  process.env['AWS_ACCESS_KEY_ID'] = 'LETTERLOOMSANDBOX'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'letterloom-sandbox-secret'
  const [connection] = await system.sql<{ id: string; externalId: string }[]>`
    select id, external_id from connections where account_id = ${sender.accountId}`
  if (!connection) throw new Error('no such connection')
  const { accountId, organizationId } = sender
  const { id: connectionId, externalId } = connection
  const iamRole = { organizationId, connectionId, accountId, region: REGION, externalId }
  const { accessKeyId, secretAccessKey, sessionToken } = await createRoles().credentials(
    iamRole,
    'send',
  )
  const client = new SESv2Client({
    region: REGION,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
  })
  const command = new SendEmailCommand({
    FromEmailAddress: SENDER,
    Destination: { ToAddresses: [recipient] },
    Content: { Simple: { Subject: { Data: 'Your invoice' }, Body: { Text: { Data: 'Pay.' } } } },
  })
  const { MessageId } = await client.send(command)
  client.destroy()
  return MessageId
}
