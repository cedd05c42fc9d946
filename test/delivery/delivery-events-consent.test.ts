import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchBucket, batchRowId, uuidv7 } from '../../src/runtime/ids.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import {
  type Api,
  connectAccount,
  wasVerified,
  createBatch,
  createContact,
  freeze,
  inject,
  insertMail,
  startApi,
} from '../support/api.ts'
import { connectAs } from '../support/logins.ts'

const accountId = '123456789012'
const region = 'eu-central-1'

let api: Api
let worker: Sql
let secret: string
let connectionId: string
beforeAll(async () => {
  api = await startApi()
  worker = connectAs(api.databaseUrl, { name: 'applier', role: 'letterloom_worker' })
  const connection = await connectAccount(api.alice, { accountId, region })
  secret = connection.webhookSecret
  connectionId = connection.connectionId
  await wasVerified(api.sql, connectionId)
})
afterAll(async () => {
  await worker.end()
  await api.close()
})

interface Mailed {
  contactId: string
  email: string
  tag: string
}

/** A contact of Alice's that was mailed, and one of the same address of Charlie's. */
async function mailed(): Promise<Mailed> {
  const email = `ada-${uuidv7()}@example.com`
  const { id: contactId } = await createContact(api.alice, { email })
  await createContact(api.charlie, { email })
  const { id: batchId } = await createBatch(api.alice)
  const bucket = batchBucket()
  await freeze(api.sql, batchId, bucket, 1)
  const id = batchRowId(bucket, 0)
  const { organizationId } = api.alice
  const mail = { organizationId, bucket, id, connectionId, batchId, contactId, recipient: email }
  await insertMail(api.sql, { ...mail, state: 'sent', status: 'sent', messageId: `m-${id}` })
  return { contactId, email, tag: `${bucket}_${id}` }
}

const bounce = (bounceType: string, bounceSubType = 'General') => ({
  eventType: 'Bounce',
  bounce: { bounceType, bounceSubType, feedbackId: uuidv7() },
})
const complaint = (more: object = {}) => ({
  eventType: 'Complaint',
  complaint: { complaintFeedbackType: 'abuse', feedbackId: uuidv7(), ...more },
})

/** The provider posts the event, to the route that is open to it, and the applier takes it. */
async function receive(tag: string, event: object, at = new Date().toISOString()) {
  const [kind, part] = Object.entries(event).find(([name]) => name !== 'eventType')!
  const answer = await inject(api.app, {
    method: 'POST',
    url: `/webhooks/ses/${accountId}`,
    headers: { 'x-webhook-secret': secret },
    payload: {
      version: '0',
      id: uuidv7(),
      source: 'aws.ses',
      account: accountId,
      region,
      detail: {
        ...event,
        [kind]: { ...part, timestamp: at },
        mail: { timestamp: at, messageId: `m-${tag}`, tags: { 'letterloom-message': [tag] } },
      },
    },
  })
  expect(answer.body).toEqual({ status: 'processed' })
  while ((await applyEvents(worker, api.deps.keyring)) > 0);
}

async function standing({ contactId, email }: Mailed) {
  const contact = await api.alice.get(`/v1/contacts/${contactId}`)
  const list = await api.alice.get(`/v1/suppressions?email=${encodeURIComponent(email)}`)
  const reasons = list.body.data.map((each: { reason: string; source: string }) =>
    [each.reason, each.source].join(' '),
  )
  return [contact.body.emailStatus, ...reasons]
}

describe('an event that the provider posts', () => {
  test.each([
    ['a permanent bounce', bounce('Permanent'), ['bounced', 'bounced event']],
    [
      'a suppression by the provider',
      bounce('Permanent', 'OnAccountSuppressionList'),
      ['suppressed', 'suppressed event'],
    ],
    ['a complaint', complaint(), ['complained', 'complained event']],
    [
      'a complaint that the provider withheld the mail for',
      complaint({ complaintSubType: 'OnAccountSuppressionList' }),
      ['suppressed', 'suppressed event'],
    ],
    ['a transient bounce', bounce('Transient'), ['active']],
    ['"this is no spam"', complaint({ complaintFeedbackType: 'not-spam' }), ['active']],
  ])('%s', async (_name, event, expected) => {
    const person = await mailed()
    await receive(person.tag, event)
    expect(await standing(person)).toEqual(expected)
    const theirs = await api.charlie.get(`/v1/contacts/${encodeURIComponent(person.email)}`)
    expect(theirs.body.emailStatus).toBe('active')
    expect((await api.charlie.get('/v1/suppressions')).body.data).toEqual([])
  })

  test('leads to the worst status in any order of events', async () => {
    const events = [bounce('Permanent'), complaint(), bounce('Permanent', 'Suppressed')]
    for (const order of [
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const person = await mailed()
      for (const index of order) await receive(person.tag, events[index]!)
      expect(await standing(person)).toEqual(['complained', 'complained event'])
    }
  })

  test('for a former address of the contact changes only the list', async () => {
    const person = await mailed()
    await api.sql`update contacts set email = ${`new-${person.email}`} where id = ${person.contactId}`
    await receive(person.tag, bounce('Permanent'))
    expect(await standing(person)).toEqual(['active', 'bounced event'])
    const other = await standing({ ...person, email: `new-${person.email}` })
    expect(other).toEqual(['active'])
  })

  test('from before a resubscription changes nothing', async () => {
    const person = await mailed()
    await api.sql`update contacts set resubscribed_at = now() where id = ${person.contactId}`
    const before = new Date(Date.now() - 60_000).toISOString()
    await receive(person.tag, complaint(), before)
    expect(await standing(person)).toEqual(['active'])
    await receive(person.tag, complaint(), new Date(Date.now() + 1_000).toISOString())
    expect(await standing(person)).toEqual(['complained', 'complained event'])
  })
})
