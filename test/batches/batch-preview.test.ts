import { afterAll, beforeAll, expect, test } from 'vitest'
import { costOf, durationSeconds } from '../../src/domain/batches/estimate.ts'
import { type Api, connectAccount, createContact, startApi } from '../support/api.ts'

let api: Api
let ada: string
beforeAll(async () => {
  api = await startApi()
  const { connectionId } = await connectAccount(api.alice)
  await api.sql`update connections set max_send_rate = 14 where id = ${connectionId}`
  await api.sql`
    insert into account_health (organization_id, connection_id, pricing_plan)
    values (${api.alice.organizationId}, ${connectionId}, 'NONE')`
  ada = (await createContact(api.alice, { email: 'ada@example.com', firstName: 'Ada' })).id
  await createContact(api.alice, { email: 'nameless@example.com' })
  await createContact(api.alice, { email: 'left@example.com', emailStatus: 'unsubscribed' })
  await createContact(api.alice, { phone: '+4915112345678' })
})
afterAll(() => api.close())

const preview = (input: object = {}) =>
  api.alice.post('/v1/batch/preview', {
    audienceType: 'all',
    from: 'news@example.com',
    subject: 'Hello {{ contact.firstName }}',
    htmlContent: '<p>Hello {{ contact.firstName }}</p>',
    ...input,
  })

test('the preview counts whom a batch would mail, shows a mail, and stores nothing', async () => {
  const { status, body } = await preview({ sampleContactId: ada, throttlePerSecond: 1 })
  expect([status, body]).toEqual([
    200,
    {
      recipients: 2,
      skipped: [
        { reason: 'no_address', count: 1 },
        { reason: 'unsubscribed', count: 1 },
      ],
      sample: {
        contactId: ada,
        email: 'ada@example.com',
        subject: 'Hello Ada',
        html: expect.stringContaining('Hello Ada'),
        text: expect.stringContaining('Hello Ada'),
        problem: null,
      },
      checks: [expect.objectContaining({ code: 'no_unsubscribe_link', severity: 'info' })],
      variants: null,
      estimate: { perSecond: 1, remainingToday: null, durationSeconds: 2 },
      cost: { usd: 0.0002, usdPerThousand: 0.1, asOf: '2026-07-22' },
    },
  ])
  // Whoever looks at it unsubscribes nobody.
  expect(body.sample.html).toContain('https://mail.example.com/unsubscribe/preview')
  const [kept] = await api.sql`
    select (select count(*) from batches)::int as batches, (select count(*) from contents)::int as contents`
  expect(kept).toEqual({ batches: 0, contents: 0 })
})

test('the preview hides addresses and numbers from a key that may not read contacts', async () => {
  const { id } = await createContact(api.alice, {
    email: 'grace@hidden.example',
    phone: '+4915187654321',
    firstName: 'Grace',
    properties: { plan: 'gold', other: 'grace@other.example or +49 151 11111111', of: ['g@x.org'] },
  })
  const asked = {
    audienceType: 'contacts',
    contactIds: [id],
    subject: '{{ contact.email }}',
    htmlContent: `<p>{{ contact.firstName }} {{ contact.properties.plan }} {{ email }} {{ contact.phone }}
      {{ contact.email | split: "@" | first }} {{ contact.properties.other }}</p>`,
    variableMappings: [{ variableName: 'email', source: { type: 'contact', field: 'email' } }],
  }
  const body = { from: 'news@example.com', ...asked }
  const hidden = /grace@|hidden\.example|other\.example|15187654321|151 11111111|g@x\.org/
  for (const scopes of [['send'], ['send', 'events']]) {
    const sender = await api.client(api.alice.organizationId, scopes)
    const { status, body: shown } = await sender.post('/v1/batch/preview', body)
    expect([status, shown.error]).toEqual([200, undefined])
    expect(JSON.stringify(shown)).not.toMatch(hidden)
    expect(shown.sample).toMatchObject({ contactId: id, email: 'g••••@h•••••.example' })
    expect(shown.sample.html).toContain('Grace gold g••••@h•••••.example')
  }
  for (const scope of ['read', 'contacts']) {
    const seeing = await api.client(api.alice.organizationId, ['send', scope])
    const { body: shown } = await seeing.post('/v1/batch/preview', body)
    expect(shown.sample).toMatchObject({ email: 'grace@hidden.example' })
    expect(shown.sample.html).toContain('+4915187654321')
  }
  await api.alice.delete(`/v1/contacts/${id}`)
})

test('the preview checks the mail that this contact would get', async () => {
  const said = {
    sampleContactId: ada,
    subject: '{% if contact.firstName == "Ada" %} {% endif %}',
    htmlContent:
      '<a href="/{{ contact.firstName }}">One</a> <a href="{{ unsubscribeUrl }}">Leave</a>',
  }
  const { body } = await preview(said)
  expect(body.checks.map(({ code }: { code: string }) => code)).toEqual([
    'blank_subject',
    'relative_link',
  ])
  expect(body.checks[1].message).toContain('"/Ada"')
})

test('the preview shows the problem of one contact’s mail, and refuses what creation refuses', async () => {
  const { body } = await preview()
  expect(body.sample).toMatchObject({
    email: 'nameless@example.com',
    html: null,
    problem: { reason: 'missing_value' },
  })
  expect((await preview({ contactIds: [ada] })).body.details[0].path).toBe('contactIds')
  expect((await preview({ sampleContactId: 'x' })).body.details[0].path).toBe('sampleContactId')
  expect((await preview({ subject: '{{ nobody.knows }}' })).status).toBe(400)
})

test('the preview shows the mail of each variant of an A/B test with its problems', async () => {
  const contacts = Array.from({ length: 18 }, (_, n) => ({ email: `reader-${n}@example.com` }))
  await api.alice.post('/v1/contacts/batch', { contacts })
  const { status, body } = await preview({
    subject: 'News',
    htmlContent: '<p>News</p>',
    sampleContactId: ada,
    abTest: {
      variants: [{ name: 'Plain' }, { name: 'Ours', subject: '{{ contact.company }}' }],
      sharePercent: 100,
      winnerBy: 'manual',
    },
  })
  expect([status, body.sample.subject]).toEqual([200, 'News'])
  expect(body.variants).toMatchObject([
    { name: 'Plain', sample: { email: 'ada@example.com', subject: 'News', problem: null } },
    { name: 'Ours', sample: { subject: null, problem: { reason: 'missing_value' } } },
  ])
  await api.alice.delete('/v1/contacts', {
    ids: (await api.alice.get('/v1/contacts?search=reader-')).body.contacts.map(
      ({ id }: { id: string }) => id,
    ),
  })
})

test('the duration leaves a twentieth of the quota to single mail', async () => {
  const quota = (max: number, used: number) => api.sql`
    update account_health set max_24_hour = ${max}, sent_last_24_hours = ${used}
    where organization_id = ${api.alice.organizationId}`
  await quota(1_000, 900)
  expect((await preview({ sampleContactId: ada })).body.estimate).toEqual({
    perSecond: 14,
    remainingToday: 50,
    durationSeconds: 1,
  })
  await quota(20, 18)
  expect((await preview({ sampleContactId: ada })).body.estimate).toMatchObject({
    remainingToday: 1,
    durationSeconds: 86_400,
  })
  await quota(-1, 5)
  expect((await preview({ sampleContactId: ada })).body.estimate.remainingToday).toBeNull()
})

test('the duration follows from the rate, or from the daily quota', () => {
  const limits = { perSecond: 10, remainingToday: 1_000, max24Hour: 50_000 }
  expect(durationSeconds(1_000, limits)).toBe(100)
  expect(durationSeconds(1_001, limits)).toBe(86_400)
  expect(durationSeconds(101_001, limits)).toBe(3 * 86_400)
  expect(durationSeconds(101_001, { ...limits, remainingToday: null })).toBe(10_101)
})

test('the price follows from the account’s plan and the mails of the month; without a plan it is unknown', () => {
  const at = { month: '2026-11', sent: 0, pricingPlan: 'ESSENTIALS' }
  const asOf = '2026-07-22'
  expect(costOf(100_000, at)).toEqual({ usd: 16, usdPerThousand: 0.16, asOf })
  expect(costOf(2_000, { ...at, sent: 9_999_000 })).toEqual({
    usd: 0.3,
    usdPerThousand: 0.15,
    asOf,
  })
  expect(costOf(0, { ...at, sent: 10_000_000 })).toEqual({ usd: 0, usdPerThousand: 0.14, asOf })
  expect(costOf(1, { ...at, pricingPlan: null })).toEqual({ usd: null, usdPerThousand: null, asOf })
})
