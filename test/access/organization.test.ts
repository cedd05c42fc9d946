import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { signIn } from '../support/people.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await api.sql`update organizations set plan = 'free' where id = ${api.alice.organizationId}`
})
afterAll(() => api.close())

test('a key sees its organization, what the plan allows, what is used, and its scopes', async () => {
  await connectAccount(api.alice)
  await signIn(api.app, api.sql, api.alice.organizationId, 'owner')
  await api.client(api.alice.organizationId, ['read'], '2020-01-01T00:00:00Z')
  const { status, body } = await api.alice.get('/v1/organization')
  expect(status).toBe(200)
  expect(body).toEqual({
    id: api.alice.organizationId,
    name: 'A',
    plan: 'free',
    limits: {
      requestsPerMinute: 50,
      requestsPerDay: 1000,
      eventsPerMonth: 5000,
      connections: 1,
      workflows: 2,
      storedBytes: 2_147_483_648,
    },
    usage: { connections: 1, members: 1, apiKeys: 1, events: 0, storedBytes: 0 },
    branding: {
      accentColor: null,
      backgroundColor: null,
      language: 'en',
      postalAddress: null,
      texts: {},
    },
    scopes: ['full'],
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  })
})

test('figures of its own go before the plan’s', async () => {
  const { organizationId } = api.charlie
  await api.sql`
    insert into plan_overrides (organization_id, requests_per_minute)
    values (${organizationId}, 20000)`
  const { body } = await api.charlie.get('/v1/organization')
  expect(body.limits).toMatchObject({ requestsPerMinute: 20_000, requestsPerDay: 2_000_000 })
})

test('nothing is unlimited but by null', async () => {
  await api.sql`update organizations set plan = 'enterprise' where id = ${api.charlie.organizationId}`
  const { body } = await api.charlie.get('/v1/organization')
  expect(body.limits).toMatchObject({
    eventsPerMonth: null,
    connections: null,
    workflows: null,
    storedBytes: null,
  })
})

test('admins and full keys rename it, others do not, and what is read-only is ignored', async () => {
  const admin = await signIn(api.app, api.sql, api.alice.organizationId, 'admin')
  const { body } = await admin.send('GET', '/v1/organization')
  const changed = await admin.send('PATCH', '/v1/organization', {
    ...body,
    name: 'Alice & Sons',
    plan: 'enterprise',
  })
  expect([changed.status, changed.body.name, changed.body.plan]).toEqual([
    200,
    'Alice & Sons',
    'free',
  ])
  expect((await admin.send('PATCH', '/v1/organization', {})).status).toBe(422)
  const member = await signIn(api.app, api.sql, api.alice.organizationId, 'member')
  expect((await member.send('PATCH', '/v1/organization', { name: 'Mine' })).status).toBe(403)
  expect((await api.charlie.get('/v1/organization')).body.name).toBe('B')
  const noted =
    await api.sql`select actor_id from audit_events where action = 'organization.renamed'`
  expect(noted).toEqual([{ actorId: admin.id }])
})

test('the look of public pages is changed field by field, and only colours are taken', async () => {
  const patch = (branding: object) =>
    api.charlie.send({ method: 'PATCH', url: '/v1/organization', payload: { branding } })
  const first = await patch({ accentColor: '#7a3e2c', backgroundColor: '#fff8f0' })
  expect([first.status, first.body.branding, first.body.name]).toEqual([
    200,
    expect.objectContaining({ accentColor: '#7a3e2c', backgroundColor: '#fff8f0' }),
    'B',
  ])
  const second = await patch({ backgroundColor: null })
  expect(second.body.branding).toMatchObject({ accentColor: '#7a3e2c', backgroundColor: null })
  for (const wrong of ['red', '#FFFFFF', '#fff', '#12345g', '#123456;x', '#123456\n', 3]) {
    expect((await patch({ accentColor: wrong })).status).toBe(422)
  }
  expect((await patch({ logo: 'x' })).status).toBe(422)
  expect((await api.charlie.get('/v1/organization')).body.branding).toEqual(second.body.branding)
  expect((await api.alice.get('/v1/organization')).body.branding.accentColor).toBeNull()
  const reader = await api.client(api.charlie.organizationId, ['read', 'contacts'])
  const refused = await reader.send({
    method: 'PATCH',
    url: '/v1/organization',
    payload: { branding: {} },
  })
  expect(refused.status).toBe(403)
})
