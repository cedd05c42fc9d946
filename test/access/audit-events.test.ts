import { afterAll, beforeAll, expect, test } from 'vitest'
import { within } from '../../src/store/db/sql.ts'
import { type Api, startApi } from '../support/api.ts'
import { smallFlow } from '../support/flow-inputs.ts'
import { createDatabase } from '../support/database.ts'
import { type SignedIn, signIn } from '../support/people.ts'
import { connectAs } from '../support/logins.ts'

let api: Api
let alice: SignedIn
beforeAll(async () => {
  api = await startApi()
  alice = await signIn(api.app, api.sql, api.alice.organizationId, 'owner')
  for (const name of ['One', 'Two', 'Three']) await alice.send('POST', '/v1/api-keys', { name })
})
afterAll(() => api.close())

const list = async (query = '') => (await alice.send('GET', `/v1/audit-events${query}`)).body.data

test('audit events are listed newest first, with author, action, request and time', async () => {
  const { body, headers } = await alice.send('POST', '/v1/api-keys', { name: 'Shop' })
  const [newest] = await list('?limit=1')
  expect(newest).toEqual({
    id: expect.any(String),
    actorKind: 'user',
    actorId: alice.id,
    action: 'api_key.created',
    subjectKind: 'api_key',
    subjectId: body.id,
    requestId: headers['x-request-id'],
    detail: { scopes: ['full'] },
    createdAt: expect.any(String),
  })
})

test('pages and filters find each once', async () => {
  const all = await list('?limit=100')
  const first = await alice.send('GET', '/v1/audit-events?limit=2')
  const next = await alice.send('GET', `/v1/audit-events?limit=2&cursor=${first.body.nextCursor}`)
  expect([...first.body.data, ...next.body.data]).toEqual(all.slice(0, 4))
  const logins = await list('?action=login.succeeded')
  expect(logins).toEqual(
    all.filter(({ action }: { action: string }) => action === 'login.succeeded'),
  )
  expect(logins.length).toBeGreaterThan(0)
  expect(await list(`?actorId=${alice.id}&limit=100`)).toEqual(all)
  expect(await list(`?actorId=${api.alice.keyId}`)).toEqual([])
  expect(await list('?to=2020-01-01')).toEqual([])
  expect(await list('?from=2020-01-01&limit=100')).toEqual(all)
  const other = `/v1/audit-events?action=api_key.created&cursor=${first.body.nextCursor}`
  expect((await alice.send('GET', other)).status).toBe(400)
})

/** What the key of Alice did since `before`, oldest first. */
const doneSince = async (before: number) => {
  const { body } = await api.alice.get(`/v1/audit-events?limit=100&actorId=${api.alice.keyId}`)
  const events: { action: string; subjectId: string; detail: object }[] = body.data
  return events.toReversed().slice(before)
}

test('a workflow: each change is noted once, and what changes nothing is not', async () => {
  const before = (await doneSince(0)).length
  const { id } = (await api.alice.post('/v1/workflows', smallFlow({ name: 'Welcome' }))).body
  const url = `/v1/workflows/${id}`
  for (const _ of [1, 2]) await api.alice.post(`${url}/enable`)
  await api.alice.patch(url, { name: 'Welcome' })
  await api.alice.patch(url, { description: 'New', enabled: false })
  await api.alice.post(`${url}/disable`)
  await api.alice.patch(url, { enabled: true })
  await api.alice.delete(url)
  expect((await api.alice.delete(url)).status).toBe(404)
  const done = await doneSince(before)
  expect(done.map(({ action, subjectId }) => [action, subjectId])).toEqual(
    ['created', 'enabled', 'updated', 'disabled', 'enabled', 'deleted'].map((participle) => [
      `workflow.${participle}`,
      id,
    ]),
  )
})

test('a push of workflows is one entry, and a trial or one that changes nothing none', async () => {
  const before = (await doneSince(0)).length
  const workflows = ['one', 'two'].map((slug) => smallFlow({ slug, name: slug }))
  await api.alice.post('/v1/workflows/push', { workflows, dryRun: true })
  await api.alice.post('/v1/workflows/push', { workflows })
  await api.alice.post('/v1/workflows/push', { workflows })
  expect(await doneSince(before)).toMatchObject([
    { action: 'workflow.pushed', detail: { workflows: 2 } },
  ])
})

test('an account: registering it, again, disconnecting it once, and no word of its secrets', async () => {
  const before = (await doneSince(0)).length
  const account = { accountId: '123123123123', region: 'eu-central-1' }
  const { body } = await api.alice.post('/v1/connections', account)
  await api.alice.post('/v1/connections', account)
  const url = `/v1/connections/${body.connectionId}`
  await api.alice.patch(url, { name: 'Shop' })
  await api.alice.patch(url, {})
  for (const _ of [1, 2]) await api.alice.delete(url)
  await api.alice.post('/v1/connections', account)
  const done = await doneSince(before)
  expect(done.map(({ action }) => action)).toEqual([
    'connection.created',
    'connection.registered_again',
    'connection.updated',
    'connection.disconnected',
    'connection.registered_again',
  ])
  expect(done.map(({ detail }) => detail)).toEqual([{}, {}, { fields: ['name'] }, {}, {}])
})

test.each(['viewer', 'member'] as const)('a %s may not look', async (role) => {
  const person = await signIn(api.app, api.sql, api.alice.organizationId, role)
  expect((await person.send('GET', '/v1/audit-events')).status).toBe(403)
})

test('a full key may look, any other may not, and a stranger sees only their own', async () => {
  expect((await api.alice.get('/v1/audit-events')).status).toBe(200)
  const reader = await api.client(api.alice.organizationId, ['read', 'contacts', 'send', 'events'])
  expect((await reader.get('/v1/audit-events')).status).toBe(403)
  expect((await api.charlie.get('/v1/audit-events')).body.data).toEqual([])
})

test('the API’s own role can neither change nor remove what was noted', async () => {
  const tenant = within(api.deps.sql, api.alice.organizationId)
  expect((await tenant`select from audit_events`).length).toBeGreaterThan(0)
  await expect(tenant`update audit_events set action = 'nothing.happened'`).rejects.toThrow(
    /permission denied/,
  )
  await expect(tenant`delete from audit_events`).rejects.toThrow(/permission denied/)
})

test('the API’s own role reads nobody’s password hash and no failed logins', async () => {
  const database = await createDatabase()
  const sql = connectAs(database.url, { name: 'test-api', role: 'letterloom_api' })
  const tenant = within(sql, api.alice.organizationId)
  await expect(tenant`select password_hash from users`).rejects.toThrow(/permission denied/)
  await expect(tenant`select account from login_failures`).rejects.toThrow(/permission denied/)
  expect(await tenant`select id, email from users`).toEqual([])
  await sql.end()
  await database.drop()
})
