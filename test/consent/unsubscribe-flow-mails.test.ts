import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rebuildFigures } from '../../src/core/metrics/rebuild-figures.ts'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import { addressHash, signLink, signUnsubscribe } from '../../src/keys/tokens.ts'
import {
  type Api,
  connectAccount,
  createContact,
  inject,
  insertMail,
  startApi,
} from '../support/api.ts'
import { seedTopic } from '../support/seed.ts'

let api: Api
let connectionId: string
let contactId: string
let topicId: string
let email: string
let mailId: string
beforeAll(async () => {
  api = await startApi()
  connectionId = (await connectAccount(api.alice)).connectionId
})
beforeEach(async () => {
  const { organizationId } = api.alice
  email = `ada-${uuidv7()}@example.com`
  contactId = (await createContact(api.alice, { email })).id
  topicId = await seedTopic(api.sql, organizationId, [contactId])
  mailId = await sentMail()
})
afterAll(() => api.close())

/** A mail of a workflow to the contact. */
async function sentMail(): Promise<string> {
  const { organizationId } = api.alice
  const id = uuidv7()
  const mail = { organizationId, connectionId, bucket: dayBucket(id), id }
  await insertMail(api.sql, {
    ...mail,
    source: 'workflow',
    state: 'sent',
    status: 'sent',
    recipient: email,
  })
  await api.sql`
    update messages set sent_at = now(), contact_id = ${contactId} where id = ${id}`
  return id
}

function post(kind: 'unsubscribe' | 'preferences', changes: object = {}, payload?: object) {
  const { organizationId } = api.alice
  const hash = addressHash(organizationId, email)
  const link = { organizationId, contactId, addressHash: hash, mailId, ...changes }
  const token =
    kind === 'unsubscribe'
      ? signUnsubscribe(api.deps.keyring, link)
      : signLink(api.deps.keyring, kind, { ...link, expiresAt: Date.now() + 60_000 })
  return inject(api.app, {
    method: 'POST',
    url: `/${kind}/${token}`,
    ...(payload === undefined ? {} : { payload }),
  })
}

const statusOf = async (id: string) => (await api.alice.get(`/v1/contacts/${id}`)).body.emailStatus
const logOf = async (id: string) => (await api.alice.get(`/v1/email/logs/${id}`)).body
/** What metrics say of workflows, less what they said before; a recount must say the same. */
async function counted(): Promise<number> {
  const { data } = (await api.alice.get('/v1/email/metrics?dimensions=source')).body
  const row = data.find(({ source }: { source: string }) => source === 'workflow')
  expect((await rebuildFigures(api.sql, api.alice.organizationId)).corrected).toBe(0)
  return row.unsubscribed
}

describe('by a link of a workflow’s mail', () => {
  test('somebody who unsubscribes counts once, in metrics and in the log', async () => {
    const before = await counted()
    expect((await logOf(mailId)).unsubscribedAt).toBeNull()
    for (let n = 0; n < 3; n++) expect((await post('unsubscribe')).status).toBe(200)
    expect(await statusOf(contactId)).toBe('unsubscribed')
    expect(await counted()).toBe(before + 1)
    expect((await logOf(mailId)).unsubscribedAt).not.toBeNull()
  })

  test('leaving a topic counts, and so does another mail by which the person left again', async () => {
    const before = await counted()
    expect((await post('unsubscribe', { topicId })).status).toBe(200)
    await api.alice.patch(`/v1/contacts/${contactId}`, { topicIds: [topicId], resubscribe: true })
    mailId = await sentMail()
    expect((await post('unsubscribe', { topicId })).status).toBe(200)
    expect(await counted()).toBe(before + 2)
  })

  test('choosing fewer topics counts, and choosing the same ones does not', async () => {
    const before = await counted()
    expect((await post('preferences', {}, { topics: [topicId] })).status).toBe(200)
    expect(await counted()).toBe(before)
    expect((await post('preferences', {}, { topics: [] })).status).toBe(200)
    expect(await counted()).toBe(before + 1)
  })

  test('whose mail is gone, or another organization’s, unsubscribes and counts nowhere', async () => {
    const before = await counted()
    await api.sql`update messages set organization_id = ${uuidv7()} where id = ${mailId}`
    expect((await post('unsubscribe')).status).toBe(200)
    expect(await statusOf(contactId)).toBe('unsubscribed')
    expect(await counted()).toBe(before)
    const [row] = await api.sql`select unsubscribed_at from messages where id = ${mailId}`
    expect(row).toEqual({ unsubscribedAt: null })
  })

  test('the address of a contact that is gone is found by the mail', async () => {
    await api.sql`delete from contacts where id = ${contactId}`
    expect((await post('unsubscribe')).status).toBe(200)
    const again = await api.alice.post('/v1/contacts', { email })
    expect([again.status, again.body.emailStatus]).toEqual([201, 'unsubscribed'])
    const [row] = await api.sql`
      select address from suppressions where address = ${email}`
    expect(row).toEqual({ address: email })
  })

  test('a link from before mails were named still unsubscribes, and counts nowhere', async () => {
    const before = await counted()
    expect((await post('unsubscribe', { mailId: undefined })).status).toBe(200)
    expect(await statusOf(contactId)).toBe('unsubscribed')
    expect(await counted()).toBe(before)
  })
})
