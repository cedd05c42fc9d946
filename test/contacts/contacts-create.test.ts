import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, createContact, startApi, tally } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const create = (input: object) => api.alice.post('/v1/contacts', input)

test('a contact is answered with every field that it has', async () => {
  const { status, body } = await create({
    externalId: 'crm-1',
    email: ' Ada@Example.COM ',
    phone: '+49 (151) 123-45678',
    firstName: 'Ada',
    properties: { plan: 'pro', tags: ['a'], nested: { deep: null } },
  })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    externalId: 'crm-1',
    email: 'ada@example.com',
    phone: '+4915112345678',
    firstName: 'Ada',
    lastName: null,
    company: null,
    jobTitle: null,
    emailStatus: 'active',
    smsStatus: 'pending_consent',
    preferredChannel: null,
    properties: { plan: 'pro', tags: ['a'], nested: { deep: null } },
    emailsSent: 0,
    emailsOpened: 0,
    emailsClicked: 0,
    smsSent: 0,
    smsClicked: 0,
    emailVerifiedAt: null,
    emailUnsubscribedAt: null,
    emailBouncedAt: null,
    emailComplainedAt: null,
    emailSuppressedAt: null,
    smsConsentedAt: null,
    smsOptedOutAt: null,
    lastActivityAt: null,
    lastEmailSentAt: null,
    lastEmailOpenedAt: null,
    lastEmailClickedAt: null,
    topics: [],
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: body.createdAt,
  })
  expect((await api.alice.get(`/v1/contacts/${body.id}`)).body).toEqual(body)
})

test('statuses begin where the address and the number are', async () => {
  const email = await create({ email: 'only-mail@example.com' })
  expect(email.body).toMatchObject({ emailStatus: 'active', smsStatus: null })
  const phone = await create({ phone: '+15550001111' })
  expect(phone.body).toMatchObject({ emailStatus: null, smsStatus: 'pending_consent' })
  const given = await create({ email: 'left@example.com', emailStatus: 'unsubscribed' })
  expect(given.body.emailStatus).toBe('unsubscribed')
})

describe('is refused', () => {
  test.each([
    ['neither email nor phone', { firstName: 'Ada' }, 400, 'email'],
    ['a number without a country', { phone: '0151 1234567' }, 400, 'phone'],
    ['a topic that does not exist', { email: 'a@b.io', topicIds: ['x'] }, 400, 'topicIds[0]'],
    ['a slug that does not exist', { email: 'a@b.io', topicSlugs: ['n'] }, 400, 'topicSlugs[0]'],
    ['no address', { email: 'ada' }, 422, 'email'],
    ['a null', { email: 'a@b.io', firstName: null }, 422, 'firstName'],
    ['an external id with an @', { email: 'a@b.io', externalId: 'a@b' }, 422, 'externalId'],
    ['an external id with a slash', { email: 'a@b.io', externalId: 'a/b' }, 422, 'externalId'],
    ['an unknown status', { email: 'a@b.io', emailStatus: 'gone' }, 422, 'emailStatus'],
    ['properties that are no object', { email: 'a@b.io', properties: [] }, 422, 'properties'],
    ['too long a name', { email: 'a@b.io', firstName: 'a'.repeat(101) }, 422, 'firstName'],
    ['an unknown field', { email: 'a@b.io', emial: 'a@b.io' }, 422, 'emial'],
  ])('%s', async (_name, input, status, path) => {
    const answer = await create(input)
    expect([answer.status, answer.body.details[0].path]).toEqual([status, path])
    expect(answer.body.code).toBe(status === 400 ? 'BAD_REQUEST' : 'VALIDATION_FAILED')
  })

  test('and leaves nothing behind', async () => {
    const { body } = await api.alice.get('/v1/contacts?search=a@b.io')
    expect(body.total).toBe(0)
  })
})

describe('a value of another contact', () => {
  const first = { externalId: 'taken', email: 'taken@example.com', phone: '+15551112222' }

  test('gives 409 that names the field and the contact, and never the value', async () => {
    const { id } = await createContact(api.alice, first)
    const cases = [
      [{ externalId: 'taken', email: 'free1@example.com' }, 'externalId', 'external_id_taken'],
      [{ email: 'TAKEN@example.com ' }, 'email', 'email_taken'],
      [{ email: 'free2@example.com', phone: '+1 555 111-2222' }, 'phone', 'phone_taken'],
    ] as const
    for (const [input, field, reason] of cases) {
      const { status, headers, body } = await create(input)
      expect(status).toBe(409)
      expect(body).toEqual({
        error: expect.stringMatching(new RegExp(`\\b${field}\\b`)),
        code: 'CONFLICT',
        requestId: headers['x-request-id'],
        reason,
        details: [{ path: field, message: 'is taken', contactId: id }],
      })
      const others = ['externalId', 'email', 'phone'].filter((each) => each !== field)
      for (const other of others) expect(body.error).not.toContain(other)
      expect(body.error).not.toMatch(/taken@example|\+1555/i)
    }
    expect((await api.alice.get('/v1/contacts?search=free')).body.total).toBe(0)
  })

  test('does not hinder another organization', async () => {
    expect((await api.charlie.post('/v1/contacts', first)).status).toBe(201)
  })

  test('fifty at once: one is created, the others are told', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => create({ email: 'race@example.com', externalId: 'race' })),
    )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 49 })
    expect((await api.alice.get('/v1/contacts?search=race@')).body.total).toBe(1)
  })
})
