import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOST_HOOK_ENDPOINTS } from '../../src/domain/hooks/hook-event.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, startApi } from '../support/api.ts'
import { createEndpoint } from '../support/hooks.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const url = 'https://shop.example.com/hooks'

test('an endpoint is created with a secret that is shown once, and is found again without it', async () => {
  const created = await api.alice.post('/v1/webhook-endpoints', {
    url,
    description: 'Shop',
    eventTypes: ['email.bounced', 'contact.created'],
    sources: ['batch'],
    maxInFlight: 2,
  })
  expect(created).toMatchObject({
    status: 201,
    body: {
      url,
      description: 'Shop',
      eventTypes: ['email.bounced', 'contact.created'],
      sources: ['batch'],
      maxInFlight: 2,
      enabled: true,
      disabledReason: null,
      pending: 0,
      last24Hours: { delivered: 0, failedCalls: 0 },
    },
  })
  expect(created.body.secret).toMatch(/^whsec_[A-Za-z0-9+/=]{44}$/)
  const { secret, ...shown } = created.body
  expect((await api.alice.get(`/v1/webhook-endpoints/${shown.id}`)).body).toEqual(shown)
  const { body: list } = await api.alice.get('/v1/webhook-endpoints')
  expect(list.data).toEqual([shown])
  expect(JSON.stringify(list)).not.toContain(secret)
  // Nor is it in storage as it is.
  const rows = await api.sql`select hook_endpoints::text as row from hook_endpoints`
  const bytes = Buffer.from(secret.slice('whsec_'.length)).toString('hex')
  expect(JSON.stringify(rows)).not.toContain(bytes)
  await api.alice.delete(`/v1/webhook-endpoints/${shown.id}`)
})

describe('an address is refused that', () => {
  test.each([
    ['has no TLS', 'http://shop.example.com/'],
    ['has a password', 'https://ada:secret@shop.example.com/'],
    ['is of another scheme', 'ftp://shop.example.com/'],
    ['is none', 'shop.example.com'],
    ['is of a metadata service', 'https://metadata.google.internal/'],
    ['has a port of another service', 'https://shop.example.com:25/'],
  ])('%s', async (_, wrongUrl) => {
    const refused = await api.alice.post('/v1/webhook-endpoints', {
      url: wrongUrl,
      eventTypes: ['email.sent'],
    })
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'url' }] } })
  })
})

test('an address is stored as it is called', async () => {
  const { id } = await createEndpoint(api.alice, 'https://shöp.example.com/a b?ü')
  const { body } = await api.alice.get(`/v1/webhook-endpoints/${id}`)
  expect(body.url).toBe('https://xn--shp-tna.example.com/a%20b?%C3%BC')
  const tooLong = `https://shop.example.com/${'ü'.repeat(1_000)}`
  const refused = await api.alice.patch(`/v1/webhook-endpoints/${id}`, { url: tooLong })
  expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'url' }] } })
  await api.alice.delete(`/v1/webhook-endpoints/${id}`)
})

test('in development a receiver needs no TLS', async () => {
  const development = await startApi({ allowsHttpHooks: true })
  try {
    const { id } = await createEndpoint(development.alice, 'http://127.0.0.1:4000/')
    expect(id).toEqual(expect.any(String))
  } finally {
    await development.close()
  }
})

test('no more endpoints than the limit are created, also by calls at the same time', async () => {
  const { organizationId } = api.charlie
  const answers = await Promise.all(
    Array.from({ length: MOST_HOOK_ENDPOINTS + 4 }, () =>
      api.charlie.post('/v1/webhook-endpoints', { url, eventTypes: ['email.sent'] }),
    ),
  )
  const refused = answers.filter(({ status }) => status === 409)
  expect(refused.map(({ body }) => body.reason)).toEqual(refused.map(() => 'endpoint_limit'))
  expect(refused).toHaveLength(4)
  const [row] = await api.sql<{ count: number }[]>`
    select count(*) as count from hook_endpoints where organization_id = ${organizationId}`
  expect(row?.count).toBe(MOST_HOOK_ENDPOINTS)
})

test('what was read can be sent back, and only given fields change', async () => {
  const { id } = await createEndpoint(api.alice, url, { description: 'Shop' })
  const path = `/v1/webhook-endpoints/${id}`
  const { body: before } = await api.alice.get(path)
  const same = await api.alice.patch(path, before)
  expect(same).toMatchObject({ status: 200, body: { ...before, updatedAt: expect.any(String) } })
  const changed = await api.alice.patch(path, { eventTypes: ['batch.completed'] })
  expect(changed.body).toMatchObject({ description: 'Shop', eventTypes: ['batch.completed'] })
  const disabled = await api.alice.patch(path, { enabled: false })
  expect(disabled.body).toMatchObject({ enabled: false, disabledReason: 'requested' })
  const enabled = await api.alice.patch(path, { enabled: true })
  expect(enabled.body).toMatchObject({ enabled: true, disabledReason: null, disabledAt: null })
})

test('an endpoint that is deleted is gone with what waits for it', async () => {
  const { id } = await createEndpoint(api.alice, url)
  await api.alice.post(`/v1/webhook-endpoints/${id}/test`)
  expect(await api.alice.delete(`/v1/webhook-endpoints/${id}`)).toMatchObject({ status: 200 })
  expect(await api.alice.get(`/v1/webhook-endpoints/${id}`)).toMatchObject({ status: 404 })
  expect(await api.alice.delete(`/v1/webhook-endpoints/${id}`)).toMatchObject({ status: 404 })
})

test('an endpoint of another organization is 403, and one of nobody 404', async () => {
  const { id } = await createEndpoint(api.alice, url)
  for (const path of ['', '/deliveries']) {
    const foreign = await api.charlie.get(`/v1/webhook-endpoints/${id}${path}`)
    expect(foreign).toMatchObject({ status: 403 })
    const unknown = await api.charlie.get(`/v1/webhook-endpoints/${uuidv7()}${path}`)
    expect(unknown).toMatchObject({ status: 404 })
  }
})
