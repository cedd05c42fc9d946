import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRoles } from '../../activities/aws/roles.ts'
import { SENDER } from '../../src/main/system.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { connectSender, type Sender } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { REGION } from '../support/seed.ts'
import { startTestSystem } from '../support/system.ts'

/** An account whose delivery events have no tags, in any order, some of them twice. */
const PEOPLE = 200
const BOUNCING = 40
const MINUTE_MS = 60_000

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

test('every event of a batch finds its mail, and none makes a row of another program', async () => {
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
  }, 2 * MINUTE_MS)
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
}, 180_000)

test('what another program sends through the account is in the log, and its bounce counts', async () => {
  const recipient = 'bounce+other@simulator.amazonses.com'
  await sender.client.post('/v1/contacts', { body: { email: recipient } })
  const messageId = await sendAsAnother(recipient)
  const log = await until(async () => {
    const [found] = await logs({ recipient })
    return found?.status === 'bounced' && found
  }, MINUTE_MS)
  expect(log).toMatchObject({ sourceType: 'external', messageId, subject: 'Your invoice' })
  expect(await logs({ sourceType: 'external' })).toHaveLength(1)
  const { contacts } = await sender.client.get('/v1/contacts', {
    params: { query: { search: recipient } },
  })
  expect(contacts.map(({ emailStatus }) => emailStatus)).toEqual(['bounced'])
}, 120_000)

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
