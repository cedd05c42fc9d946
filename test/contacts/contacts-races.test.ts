import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import * as consent from '../../src/core/consent/email-status.ts'
import { transact } from '../../src/store/db/sql.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import { type Api, createContact, startApi, tally } from '../support/api.ts'
import { sized } from '../support/size.ts'

const ROUNDS = sized(20, 60)

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const addressOf = (email: string) => addressed(api.deps.keyring, api.alice.organizationId, email)
/** As an unsubscribe link does. */
const leave = (email: string) => raise(email, { own: true, source: 'link' })
const raise = (email: string, how: { own?: boolean; source: suppressions.EntrySource }) =>
  transact(api.sql, (tx) =>
    consent.suppress(tx, api.alice.organizationId, [
      { address: addressOf(email), status: 'unsubscribed', ...how },
    ]),
  )
const listed = async (email: string) =>
  (await suppressions.lookUp(api.sql, api.alice.organizationId, [addressOf(email)]))(
    addressOf(email),
  )
const find = async (id: Uuid) => (await api.alice.get(`/v1/contacts/${id}`)).body

let people = 0
const person = async (input: object = {}) => {
  const email = `racer-${++people}@example.com`
  return { email, ...(await createContact(api.alice, { email, ...input })) }
}
/** A moment more or less, so that both orders happen. */
const soon = (round: number) => new Promise((resolve) => setTimeout(resolve, round % 4))

test.each([
  ['changes a name', { firstName: 'Racer' }],
  ['writes active', { emailStatus: 'active', firstName: 'Racer' }],
  ['replaces properties', { properties: { plan: 'pro' } }],
])('a PATCH that %s and an unsubscribe link: unsubscribed wins', async (_name, body) => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, email } = await person()
    const [patched] = await Promise.all([
      api.alice.patch(`/v1/contacts/${id}`, body),
      soon(round).then(() => leave(email)),
    ])
    expect(patched.status).toBe(200)
    expect(await find(id)).toMatchObject({ ...body, emailStatus: 'unsubscribed' })
    expect(await listed(email)).toBe('unsubscribed')
  }
})

test('a PUT of what was read before the person left: unsubscribed wins', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, email } = await person()
    const read = await find(id)
    await Promise.all([
      api.alice.put(`/v1/contacts/${id}`, { ...read, firstName: 'Synced' }),
      soon(round).then(() => leave(email)),
    ])
    expect(await find(id)).toMatchObject({ firstName: 'Synced', emailStatus: 'unsubscribed' })
  }
})

test('a PATCH of the address and a link to the old one: the old one is listed', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, email } = await person()
    const [patched] = await Promise.all([
      api.alice.patch(`/v1/contacts/${id}`, { email: `moved-${email}` }),
      soon(round).then(() => leave(email)),
    ])
    expect(patched.status).toBe(200)
    expect(await listed(email)).toBe('unsubscribed')
    expect(await listed(`moved-${email}`)).toBeUndefined()
    const after = await find(id)
    expect([after.email, after.emailStatus]).toEqual([`moved-${email}`, 'active'])
  }
})

test('a PATCH of the address and a suppression of the new one: list and contact agree', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, email } = await person()
    const to = `suppressed-${email}`
    const body = { email: to, ...(round % 2 ? { emailStatus: 'active' } : {}) }
    const [patched] = await Promise.all([
      api.alice.patch(`/v1/contacts/${id}`, body),
      soon(round).then(() => raise(to, { source: 'api' })),
    ])
    expect(patched.status).toBe(200)
    expect(await find(id)).toMatchObject({ email: to, emailStatus: 'unsubscribed' })
    expect(await listed(to)).toBe('unsubscribed')
  }
})

test('a status and another address at the same moment: each address is listed as its contact is', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, email } = await person()
    const answers = await Promise.all([
      api.alice.patch(`/v1/contacts/${id}`, { emailStatus: 'bounced' }),
      api.alice.patch(`/v1/contacts/${id}`, { email: `other-${email}` }),
    ])
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 2 })
    const after = await find(id)
    expect(after.email).toBe(`other-${email}`)
    const now = await listed(after.email)
    expect([after.emailStatus, now]).toEqual(now ? ['bounced', 'bounced'] : ['active', undefined])
    // Whichever came first, the status was written for the address that the contact had then.
    expect([now, await listed(email)].filter(Boolean)).toEqual(['bounced'])
  }
})

test('many PATCHes of different properties: all of them stay', async () => {
  const { id } = await person({ properties: { start: true } })
  const names = Array.from({ length: 24 }, (_, n) => `key-${n}`)
  const answers = await Promise.all(
    names.map((name) => api.alice.patch(`/v1/contacts/${id}`, { properties: { [name]: name } })),
  )
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: names.length })
  expect(Object.keys((await find(id)).properties).sort()).toEqual([...names, 'start'].sort())
})

test('many take the same address at once: one has it, the others are told by whom', async () => {
  const takers = await Promise.all(Array.from({ length: 12 }, () => person()))
  const answers = await Promise.all(
    takers.map(({ id }) => api.alice.patch(`/v1/contacts/${id}`, { email: 'wanted@example.com' })),
  )
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 11 })
  const winner = answers.find(({ status }) => status === 200)?.body.id
  const told = answers.filter(({ status }) => status === 409).map(({ body }) => body.details[0])
  expect(told).toEqual(
    Array.from({ length: 11 }, () => ({ path: 'email', message: 'is taken', contactId: winner })),
  )
})

test('deleting and changing at once: the contact is gone, and nobody is told otherwise', async () => {
  for (let round = 0; round < 20; round++) {
    const { id } = await person()
    const [changed, deleted] = await Promise.all([
      api.alice.patch(`/v1/contacts/${id}`, { firstName: 'Gone', emailStatus: 'active' }),
      soon(round).then(() => api.alice.delete(`/v1/contacts/${id}`)),
    ])
    expect([200, 404]).toContain(changed.status)
    expect(deleted.status).toBe(200)
    expect((await api.alice.get(`/v1/contacts/${id}`)).status).toBe(404)
  }
})
