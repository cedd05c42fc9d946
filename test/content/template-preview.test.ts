import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, createContact, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const create = async (input: object) =>
  (await api.alice.post('/v1/templates', { name: 'News', subject: 'News', ...input })).body.id
const preview = (id: string, body?: object) => api.alice.post(`/v1/templates/${id}/preview`, body)
const page = (id: string, payload: object = {}) =>
  api.alice.send({
    method: 'POST',
    url: `/v1/templates/${id}/preview`,
    headers: { accept: 'text/html,application/xhtml+xml' },
    payload,
  })

test('is the mail that a contact would get of what the template says now', async () => {
  const id = await create({ source: '<p>Old</p>', variables: [{ name: 'month' }] })
  await api.alice.patch(`/v1/templates/${id}`, {
    subject: '{{ month }} for {{ contact.firstName }}',
    source: '<p>{{ contact.properties.plan }} <a href="/{{ month }}">x</a></p>',
  })
  const email = 'grace@example.com'
  const person = { email, firstName: 'Grace', properties: { plan: 'gold' } }
  const { id: contactId } = await createContact(api.alice, person)
  const { status, body } = await preview(id, { contactId, variables: { month: 'May' } })
  expect([status, body]).toEqual([
    200,
    {
      templateId: id,
      name: 'News',
      contactId,
      email,
      subject: 'May for Grace',
      previewText: null,
      html: expect.stringContaining('<p>gold <a href="/May">x</a></p>'),
      text: expect.stringContaining('gold'),
      sizeBytes: Buffer.byteLength(body.html),
      problem: null,
      checks: [
        expect.objectContaining({ code: 'relative_link', severity: 'warning' }),
        expect.objectContaining({ code: 'no_unsubscribe_link', severity: 'info' }),
      ],
    },
  ])
  // Whoever looks at it unsubscribes nobody.
  expect(body.html).toContain('https://mail.example.com/unsubscribe/preview')
  const [kept] = await api.sql`select count(*)::int as n from contents`
  await preview(id, { contactId })
  expect(await api.sql`select count(*)::int as n from contents`).toEqual([kept])
})

test('a key that may not see contacts sees no address and no number of one', async () => {
  const id = await create({
    subject: 'For {{ contact.firstName }}',
    source: '<p>{{ contact.email }} {{ contact.phone }}</p>',
  })
  const person = { email: 'mary@hidden.example', phone: '+4915187654399', firstName: 'Mary' }
  const { id: contactId } = await createContact(api.alice, person)
  const sender = await api.client(api.alice.organizationId, ['send'])
  const { body } = await sender.post(`/v1/templates/${id}/preview`, { contactId })
  expect(body).toMatchObject({ subject: 'For Mary', email: 'm•••@h•••••.example' })
  expect(JSON.stringify(body)).not.toMatch(/mary@|15187654399/)
})

test('is for made-up values, or for Ada Lovelace', async () => {
  const source =
    '<p>{{ contact.firstName }} {{ trigger.data.order }} {{ event.properties.shop | default: "–" }}</p>'
  const id = await create({
    source,
    status: 'DRAFT',
    emailType: 'transactional',
    subject: null,
  }).catch(() => undefined)
  const draft = id ?? (await create({ source, status: 'DRAFT', emailType: 'transactional' }))
  const trigger = { data: { order: 41 } }
  expect((await preview(draft, { trigger })).body.html).toBe('<p>Ada 41 –</p>')
  const event = { name: 'bought', properties: { shop: 'X' } }
  const made = { trigger, event, contact: { firstName: 'Bo' } }
  expect((await preview(draft, made)).body).toMatchObject({ html: '<p>Bo 41 X</p>', email: null })
  const { body } = await preview(draft, { contact: {}, trigger })
  expect(body).toMatchObject({
    html: null,
    subject: null,
    sizeBytes: 0,
    checks: [],
    problem: { reason: 'missing_value' },
  })
})

test('a template without a subject of its own is not told that it has none', async () => {
  const { body } = await api.alice.post('/v1/templates', { name: 'T', source: '<p>x</p>' })
  const shown = await preview(body.id)
  expect(shown.body.subject).toBe(null)
  expect(shown.body.checks.map(({ code }: { code: string }) => code)).toEqual([
    'no_unsubscribe_link',
  ])
})

test('a template that cannot be published is a 400, and an unknown or foreign contact is refused', async () => {
  const broken = await create({ status: 'DRAFT', source: '<p>{% if %}</p>' })
  const refused = await preview(broken)
  expect([refused.status, refused.body.details[0].path]).toEqual([400, 'source'])
  const id = await create({ source: '<p>x</p>' })
  for (const contactId of ['x', '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11']) {
    const { status, body } = await preview(id, { contactId })
    expect([status, body.details[0].path]).toEqual([400, 'contactId'])
  }
  const { id: theirs } = await createContact(api.charlie, { email: 'dora@example.com' })
  expect((await preview(id, { contactId: theirs })).status).toBe(403)
  const { id: ours } = await createContact(api.alice, { email: 'ours@example.com' })
  const both = await preview(id, { contactId: ours, contact: {} })
  expect([both.status, both.body.details[0].path]).toEqual([400, 'contact'])
  expect((await api.charlie.post(`/v1/templates/${id}/preview`)).status).toBe(403)
})

test('a contact named as markup or as Liquid stays text, in the mail and on the page', async () => {
  const names = ['<script>alert(1)</script>', '{{ 7 | times: 7 }}', '{{ 7*7 }}', '"><img src=x>']
  const id = await create({
    subject: 'Hello {{ contact.firstName }}',
    source: '<p title="{{ contact.firstName }}">{{ contact.firstName }}</p>',
  })
  for (const [n, firstName] of names.entries()) {
    const email = `mark-${n}@example.com`
    const { id: contactId } = await createContact(api.alice, { email, firstName })
    const { body } = await preview(id, { contactId })
    expect(body.subject).toBe(`Hello ${firstName}`)
    expect(body.text).toContain(firstName)
    expect(body.html).not.toMatch(/<script|<img|49/)
    const { text } = await page(id, { contactId })
    expect(text).not.toMatch(/<script|<img|49/)
  }
})

test('a page for people, in which nothing runs', async () => {
  const id = await create({ source: '<p onclick="x()">Hello</p><script>1</script>' })
  const { status, headers, text } = await page(id)
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = String(headers['content-security-policy'])
  expect(policy).toMatch(/^default-src 'none'; /)
  expect(policy).not.toMatch(/script-src|frame-src/)
  expect(policy).toContain("frame-ancestors 'none'")
  expect(headers['cache-control']).toBe('no-store')
  expect(text.match(/<iframe title="\w+, \d+ pixels" sandbox="" /g)).toHaveLength(2)
  expect(text).not.toMatch(/<script|<p onclick/)
  expect(text).toContain('&lt;script&gt;')
  const nobody = await create({ source: '{{ contact.company }}' })
  expect((await page(nobody, { contact: {} })).text).toContain('There is no mail')
  expect((await page('nothing')).status).toBe(404)
})
