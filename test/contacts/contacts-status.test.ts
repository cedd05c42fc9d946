import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import { type Api, type Client, createContact, startApi } from '../support/api.ts'
import { signIn } from '../support/people.ts'

let api: Api
let keyOfContacts: Client
beforeAll(async () => {
  api = await startApi()
  keyOfContacts = await api.client(api.alice.organizationId, ['contacts'])
})
afterAll(() => api.close())

const LEFT = ['unsubscribed', 'bounced', 'suppressed', 'complained'] as const
const HEAVY = ['suppressed', 'complained'] as const

let people = 0
async function person(emailStatus?: string) {
  const email = `reader-${++people}@example.com`
  const { id } = await createContact(api.alice, { email, emailStatus })
  return { id, email }
}
const find = async (id: string) => (await api.alice.get(`/v1/contacts/${id}`)).body
async function listed(email: string) {
  const { organizationId } = api.alice
  const address = addressed(api.deps.keyring, organizationId, email)
  return (await suppressions.lookUp(api.sql, organizationId, [address]))(address)
}
const audited = (id: Uuid) => api.sql<{ action: string; detail: unknown }[]>`
  select action, detail from audit_events where subject_id = ${id}`

/** The ways in which one contact's status is written. */
const WAYS = {
  patch: (client: Client, id: Uuid, body: object) => client.patch(`/v1/contacts/${id}`, body),
  put: async (client: Client, id: Uuid, body: object) =>
    client.put(`/v1/contacts/${id}`, { ...(await find(id)), ...body }),
}

describe.each(Object.entries(WAYS))('%s', (_name, write) => {
  test.each(LEFT)('active over %s keeps it, and says so', async (emailStatus) => {
    const { id, email } = await person(emailStatus)
    const { status, body } = await write(api.alice, id, { emailStatus: 'active', company: 'New' })
    expect([status, body]).toMatchObject([
      200,
      { emailStatus, emailStatusKept: true, company: 'New' },
    ])
    expect(await listed(email)).toBe(emailStatus)
    expect(await audited(id)).toEqual([])
  })

  test.each(LEFT)(
    'active over %s with resubscribe resubscribes, on record',
    async (emailStatus) => {
      const { id, email } = await person(emailStatus)
      const { status, body } = await write(api.alice, id, {
        emailStatus: 'active',
        resubscribe: true,
      })
      expect([status, body.emailStatus]).toEqual([200, 'active'])
      expect(body).not.toHaveProperty('emailStatusKept')
      expect(await listed(email)).toBeUndefined()
      expect(await audited(id)).toEqual([
        { action: 'contact.resubscribed', detail: { from: emailStatus } },
      ])
      const { data } = (await api.alice.get(`/v1/contacts/${id}/events`)).body
      expect(data[0]).toMatchObject({ name: 'resubscribed', properties: { source: 'api' } })
    },
  )

  test.each(HEAVY)('%s is lifted with full scope only', async (emailStatus) => {
    const { id, email } = await person(emailStatus)
    const { status, headers, body } = await write(keyOfContacts, id, {
      emailStatus: 'active',
      resubscribe: true,
      firstName: 'Lifted',
    })
    expect([status, body.reason]).toEqual([403, 'insufficient_scope'])
    expect(headers['www-authenticate']).toContain('scope="full"')
    expect(await find(id)).toMatchObject({ emailStatus, firstName: null })
    expect(await listed(email)).toBe(emailStatus)
  })

  test('a key of contacts resubscribes a person who only unsubscribed', async () => {
    const { id } = await person('unsubscribed')
    const { body } = await write(keyOfContacts, id, { emailStatus: 'active', resubscribe: true })
    expect(body.emailStatus).toBe('active')
  })

  test('a status gets worse, is listed and dated; a better one is kept', async () => {
    const { id, email } = await person()
    const worse = await write(api.alice, id, { emailStatus: 'bounced' })
    expect(worse.body).toMatchObject({
      emailStatus: 'bounced',
      emailBouncedAt: expect.any(String),
      emailUnsubscribedAt: null,
    })
    expect(await listed(email)).toBe('bounced')
    const better = await write(api.alice, id, { emailStatus: 'unsubscribed', resubscribe: true })
    expect(better.body).toMatchObject({ emailStatus: 'bounced', emailStatusKept: true })
    const same = await write(api.alice, id, { emailStatus: 'bounced' })
    expect(same.body).not.toHaveProperty('emailStatusKept')
    expect(same.body.emailBouncedAt).toBe(worse.body.emailBouncedAt)
  })
})

test('a member may resubscribe a person who unsubscribed, and only an admin one who complained', async () => {
  const { organizationId } = api.alice
  const member = await signIn(api.app, api.sql, organizationId, 'member')
  const admin = await signIn(api.app, api.sql, organizationId, 'admin')
  const { id } = await person('complained')
  const body = { emailStatus: 'active', resubscribe: true }
  expect((await member.send('PATCH', `/v1/contacts/${id}`, body)).status).toBe(403)
  expect((await admin.send('PATCH', `/v1/contacts/${id}`, body)).body.emailStatus).toBe('active')
})

describe('a contact that is made again', () => {
  const forget = async (emailStatus: string) => {
    const { id, email } = await person(emailStatus)
    await api.alice.delete(`/v1/contacts/${id}`)
    expect(await listed(email)).toBe(emailStatus)
    return email
  }

  test.each(LEFT)('is %s still', async (emailStatus) => {
    const email = await forget(emailStatus)
    const first = await api.alice.post('/v1/contacts', { email })
    expect([first.status, first.body.emailStatus]).toEqual([201, emailStatus])
    expect(first.body).not.toHaveProperty('emailStatusKept')
    await api.alice.delete(`/v1/contacts/${first.body.id}`)
    const second = await api.alice.post('/v1/contacts', { email, emailStatus: 'active' })
    expect(second.body).toMatchObject({ emailStatus, emailStatusKept: true })
  })

  test('is active with somebody’s word for it, on record', async () => {
    const email = await forget('unsubscribed')
    const { body } = await api.alice.post('/v1/contacts', {
      email,
      emailStatus: 'active',
      resubscribe: true,
    })
    expect(body.emailStatus).toBe('active')
    expect(await listed(email)).toBeUndefined()
    expect(await audited(body.id)).toHaveLength(1)
  })

  test.each(HEAVY)('is not lifted from %s without full scope, and not made', async (heavy) => {
    const email = await forget(heavy)
    const body = { email, emailStatus: 'active', resubscribe: true }
    expect((await keyOfContacts.post('/v1/contacts', body)).status).toBe(403)
    expect((await api.alice.get(`/v1/contacts/${email}`)).status).toBe(404)
    expect(await listed(email)).toBe(heavy)
  })

  test('by another organization is nothing to this list', async () => {
    const email = await forget('complained')
    expect((await api.charlie.post('/v1/contacts', { email })).body.emailStatus).toBe('active')
  })
})
