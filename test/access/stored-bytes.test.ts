import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { type Api, type Client, connectAccount, createContact, startApi } from '../support/api.ts'
import { importFile, upload, work } from '../support/imports.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const text = 'x'.repeat(10_000)
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const faults = `email\n${'not an address\n'.repeat(50)}`

async function organization(): Promise<Client> {
  const id = uuidv7()
  await organizations.create(api.sql, { id, name: 'Full', plan: 'enterprise' })
  const client = await api.client(id, ['full'])
  await connectAccount(client)
  return client
}
const storedBytes = async (client: Client): Promise<number> =>
  (await client.get('/v1/organization')).body.usage.storedBytes
const limit = ({ organizationId }: Client, bytes: number | null) => api.sql`
  insert into plan_overrides (organization_id, stored_bytes)
  values (${organizationId}, ${bytes})
  on conflict (organization_id) do update set stored_bytes = excluded.stored_bytes`

const scheduleMail = (client: Client, more: object = {}) =>
  client.post('/v1/email/send', {
    to: 'ada@example.com',
    from: 'shop@example.com',
    subject: 'Receipt',
    text,
    scheduledFor: inAnHour(),
    ...more,
  })
const createTemplate = (client: Client, headers: Record<string, string> = {}) =>
  client.send({
    method: 'POST',
    url: '/v1/templates',
    headers,
    payload: { name: 'News', source: `<p>${text}</p>` },
  })
const createBatch = (client: Client) =>
  client.post('/v1/batch', {
    audienceType: 'all',
    from: 'news@example.com',
    subject: 'News',
    htmlContent: `<p>${text}</p>`,
    scheduledFor: inAnHour(),
  })
/** Each stores some bytes that a tenant chooses. */
const storing = {
  mail: (client: Client) => scheduleMail(client),
  mails: (client: Client) =>
    client.post('/v1/email/send/batch', {
      emails: [{ to: 'ada@example.com', from: 'shop@example.com', subject: 'Receipt', text }],
    }),
  template: (client: Client) => createTemplate(client),
  batch: createBatch,
  import: (client: Client) => upload(client, 'email\nada@example.com\n'),
}

test('stored bytes are counted, and deleted ones are not', async () => {
  const client = await organization()
  const { body: mail } = await scheduleMail(client)
  const afterMail = await storedBytes(client)
  expect(afterMail).toBeGreaterThan(10_000)
  const { body: template } = await createTemplate(client)
  const afterTemplate = await storedBytes(client)
  // The source, that of the version, and its HTML and text part.
  expect(afterTemplate - afterMail).toBeGreaterThan(40_000)
  const shorter = await client.patch(`/v1/templates/${template.id}`, { source: '<p>x</p>' })
  expect(shorter.status).toBe(200)
  expect(afterTemplate - (await storedBytes(client))).toBeGreaterThan(9_000)
  await client.delete(`/v1/templates/${template.id}`)
  expect(await storedBytes(client)).toBeLessThan(afterTemplate - 19_000)

  const before = await storedBytes(client)
  await client.post(`/v1/email/${mail.id}/cancel`)
  expect(before - (await storedBytes(client))).toBe(afterMail)
  await importFile(api, client, faults)
  const [report] = await api.sql`
    select sum(octet_length(message) + octet_length(record)) as bytes
    from import_errors
    where organization_id = ${client.organizationId}`
  expect(await storedBytes(client)).toBe(before - afterMail + Number(report?.['bytes']))
})

test('a large answer that is kept for a key counts as well, a small one does not', async () => {
  const client = await organization()
  await client.send({
    method: 'POST',
    url: '/v1/contacts',
    headers: { 'idempotency-key': 'small' },
    payload: { email: 'ada@example.com' },
  })
  expect(await storedBytes(client)).toBe(0)
  await createTemplate(client)
  const withoutKey = await storedBytes(client)
  await createTemplate(client, { 'idempotency-key': 'large' })
  expect((await storedBytes(client)) - withoutKey).toBeGreaterThan(withoutKey + 10_000)
  await api.sql`delete from idempotency_keys where organization_id = ${client.organizationId}`
  expect(await storedBytes(client)).toBe(2 * withoutKey)
})

test('an organization that stores all that it may gets 402 for more, and nothing is left of it', async () => {
  const client = await organization()
  const { body: template } = await createTemplate(client)
  const before = await storedBytes(client)
  await limit(client, before)
  for (const [name, store] of Object.entries(storing)) {
    const { status, body } = await store(client)
    expect([name, status, body.code, body.reason]).toEqual([
      name,
      402,
      'PAYMENT_REQUIRED',
      'plan_limit',
    ])
  }
  const grown = { source: `<p>${text} and more</p>` }
  expect((await client.patch(`/v1/templates/${template.id}`, grown)).status).toBe(402)
  const duplicated = await client.post(`/v1/templates/${template.id}/duplicate`, {})
  expect(duplicated.status).toBe(402)
  expect(await storedBytes(client)).toBe(before)
  const [mails] = await api.sql`
    select count(*) as mails from messages where organization_id = ${client.organizationId}`
  expect(mails).toEqual({ mails: 0 })

  // Everything else goes on, and another organization does not notice.
  await createContact(client, { email: 'ada@example.com' })
  const renamed = await client.patch(`/v1/templates/${template.id}`, { name: 'Old news' })
  expect(renamed.status).toBe(200)
  const other = await organization()
  expect((await createTemplate(other)).status).toBe(201)
  await client.delete(`/v1/templates/${template.id}`)
  expect((await scheduleMail(client)).status).toBe(202)
})

test('an answer that is known is given again when there is no room', async () => {
  const client = await organization()
  const key = { 'idempotency-key': 'first' }
  const { body: first } = await createTemplate(client, key)
  await limit(client, 1)
  const again = await createTemplate(client, key)
  expect([again.status, again.headers['idempotency-replayed'], again.body]).toEqual([
    201,
    'true',
    first,
  ])
  const other = await createTemplate(client, { 'idempotency-key': 'second' })
  expect(other.status).toBe(402)
})

test('rows that failed are counted though there is no room for the report of them', async () => {
  const client = await organization()
  const { body } = await upload(client, faults)
  await createTemplate(client)
  await limit(client, 1)
  expect(await work(api, client, body.id)).toMatchObject({ status: 'completed', failed: 50 })
  const report = await client.get(`/v1/contacts/imports/${body.id}/errors`)
  expect(report.text.trim().split('\n')).toHaveLength(1)
})

test('mails that are accepted at the same time are all counted, and never wait for each other', async () => {
  const client = await organization()
  await limit(client, 40_000)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => scheduleMail(client).then(({ status }) => status)),
  )
  const accepted = answers.filter((status) => status === 202).length
  const [stored] = await api.sql`
    select count(*) as mails, sum(octet_length(sealed)) as bytes
    from transactional_mails
    where organization_id = ${client.organizationId}`
  expect(stored).toEqual({ mails: accepted, bytes: await storedBytes(client) })
  expect(accepted).toBeGreaterThanOrEqual(4)
  expect((await scheduleMail(client)).status).toBe(402)
})
