import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, inject, startApi } from '../support/api.ts'
import { type SignedIn, signIn } from '../support/people.ts'

let api: Api
let alice: SignedIn
let charlie: SignedIn
beforeAll(async () => {
  api = await startApi()
  alice = await signIn(api.app, api.sql, api.alice.organizationId, 'owner')
  charlie = await signIn(api.app, api.sql, api.charlie.organizationId, 'owner')
})
afterAll(() => api.close())

const use = async (app: Api['app'], key: string) =>
  (await inject(app, { url: '/v1/contacts', headers: { authorization: `Bearer ${key}` } })).status

describe('making a key', () => {
  test('shows it once, with its scopes, and it works', async () => {
    const input = { name: 'Shop', scopes: ['contacts'], expiresAt: '2999-01-01T00:00:00Z' }
    const { status, body } = await alice.send('POST', '/v1/api-keys', input)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Shop',
      prefix: body.key.slice(0, 12),
      key: expect.stringMatching(/^loom_[0-9A-Za-z]{49}$/),
      scopes: ['contacts'],
      expiresAt: '2999-01-01T00:00:00.000Z',
      lastUsedAt: null,
      createdAt: expect.any(String),
      revokedAt: null,
    })
    expect(await use(api.app, body.key)).toBe(200)
    const [row] = await api.sql<{ text: string }[]>`
      select row_to_json(k)::text as text from api_keys k where id = ${body.id}`
    expect(row?.text).not.toContain(body.key)
    const { body: list } = await alice.send('GET', '/v1/api-keys')
    const { key, ...rest } = body
    expect(list.data[0]).toEqual({ ...rest, lastUsedAt: list.data[0].lastUsedAt })
    expect(JSON.stringify(list)).not.toContain(key)
  })

  test('gives full scope when none is named', async () => {
    const { body } = await alice.send('POST', '/v1/api-keys', { name: 'All' })
    expect(body.scopes).toEqual(['full'])
  })

  test('a replay has the key as null, and there is one key', async () => {
    const request = {
      method: 'POST',
      url: '/v1/api-keys',
      headers: { authorization: `Bearer ${alice.token}`, 'idempotency-key': 'once' },
      payload: { name: 'Replayed' },
    } as const
    const first = await inject(api.app, request)
    const again = await inject(api.app, request)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.body).toEqual({ ...first.body, key: null })
    const kept = await api.sql<{ answer: string }[]>`
      select answer from idempotency_keys where key = 'once'`
    expect(kept).toHaveLength(1)
    expect(kept[0]?.answer).not.toContain(first.body.key)
    expect(await api.sql`select from api_keys where name = 'Replayed'`).toHaveLength(1)
  })

  test.each([
    [{}, 422],
    [{ name: '' }, 422],
    [{ name: 'x', scopes: [] }, 422],
    [{ name: 'x', scopes: ['members'] }, 422],
    [{ name: 'x', scopes: ['read', 'read'] }, 422],
    [{ name: 'x', expiresAt: 'tomorrow' }, 422],
    [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 400],
  ])('%j is a %i', async (input, wanted) => {
    expect((await alice.send('POST', '/v1/api-keys', input)).status).toBe(wanted)
  })
})

describe('permissions to manage keys', () => {
  test.each([
    ['viewer', 403, 403],
    ['member', 403, 403],
    ['admin', 200, 201],
    ['owner', 200, 201],
  ] as const)('a %s lists with %i and makes with %i', async (role, lists, makes) => {
    const person = await signIn(api.app, api.sql, api.alice.organizationId, role)
    expect((await person.send('GET', '/v1/api-keys')).status).toBe(lists)
    expect((await person.send('POST', '/v1/api-keys', { name: role })).status).toBe(makes)
  })

  test.each([
    ['read', 403],
    ['contacts', 403],
    ['full', 200],
  ])('a key with %s lists with %i and neither makes nor revokes', async (scope, lists) => {
    const client = await api.client(api.alice.organizationId, [scope])
    expect((await client.get('/v1/api-keys')).status).toBe(lists)
    const made = await client.post('/v1/api-keys', { name: 'x' })
    expect([made.status, made.body.reason]).toEqual([403, 'session_required'])
    expect((await client.delete(`/v1/api-keys/${client.keyId}`)).status).toBe(403)
    expect((await client.get('/v1/organization')).status).toBe(scope === 'contacts' ? 403 : 200)
  })
})

describe('the list', () => {
  test('has every key of the organization once, page by page, and no other’s', async () => {
    const { body: whole } = await alice.send('GET', '/v1/api-keys?limit=100')
    const found = []
    let cursor = ''
    do {
      const { body } = await alice.send('GET', `/v1/api-keys?limit=2${cursor}`)
      found.push(...body.data)
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
    } while (cursor !== '')
    expect(found.map(({ id }) => id)).toEqual(whole.data.map(({ id }: { id: string }) => id))
    const { body: foreign } = await charlie.send('GET', '/v1/api-keys')
    const ids = new Set(found.map(({ id }) => id))
    expect(foreign.data.some(({ id }: { id: string }) => ids.has(id))).toBe(false)
  })
})

describe('renaming', () => {
  test('changes the name and ignores what is read-only', async () => {
    const { body } = await alice.send('POST', '/v1/api-keys', { name: 'Old', scopes: ['read'] })
    const { key: _, ...shown } = body
    const url = `/v1/api-keys/${body.id}`
    const changed = await alice.send('PATCH', url, { ...shown, scopes: ['full'], name: 'New' })
    expect([changed.status, changed.body]).toEqual([200, { ...shown, name: 'New' }])
    expect((await alice.send('PATCH', url, {})).status).toBe(422)
    expect((await alice.send('PATCH', url, { nam: 'New' })).status).toBe(422)
  })

  test.each(['PATCH', 'DELETE'] as const)(
    '%s of another’s key is 403, of none 404',
    async (method) => {
      const payload = method === 'PATCH' ? { name: 'Mine' } : undefined
      const status = async (id: string) =>
        (await charlie.send(method, `/v1/api-keys/${id}`, payload)).status
      expect(await status(api.alice.keyId)).toBe(403)
      expect(await status(uuidv7())).toBe(404)
      expect(await status('nonsense')).toBe(404)
      const [row] = await api.sql`
      select name, revoked_at from api_keys where id = ${api.alice.keyId}`
      expect(row).toEqual({ name: 'test', revokedAt: null })
    },
  )
})

describe('revoking', () => {
  test('ends it at once here, on every process within a second, and again is a success', async () => {
    const { body } = await alice.send('POST', '/v1/api-keys', { name: 'Leaked' })
    const other = await buildApp(api.deps)
    expect(await use(api.app, body.key)).toBe(200)
    expect(await use(other, body.key)).toBe(200)
    const revoke = () => alice.send('DELETE', `/v1/api-keys/${body.id}`)
    expect((await revoke()).body).toEqual({ success: true })
    expect(await use(api.app, body.key)).toBe(401)
    await sleep(1_000)
    expect(await use(other, body.key)).toBe(401)
    const [row] = await api.sql<{ revokedAt: string }[]>`
      select revoked_at from api_keys where id = ${body.id}`
    expect((await revoke()).status).toBe(200)
    const [again] = await api.sql`select revoked_at from api_keys where id = ${body.id}`
    expect(again).toEqual(row)
    const noted = await api.sql`
      select actor_id from audit_events where action = 'api_key.revoked' and subject_id = ${body.id}`
    expect(noted).toEqual([{ actorId: alice.id }])
    await other.close()
  })
})
