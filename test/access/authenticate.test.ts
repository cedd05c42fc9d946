import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import * as apiKeys from '../../src/store/access/api-keys.ts'
import { newApiKey } from '../../src/keys/tokens.ts'
import { type Api, inject, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

describe('credentials', () => {
  test('missing, malformed, unknown, expired and revoked ones get the same 401', async () => {
    const expired = await api.client(api.alice.organizationId, ['full'], '2020-01-01T00:00:00Z')
    const revoked = await api.client(api.alice.organizationId, ['full'])
    await apiKeys.revoke(api.sql, revoked.organizationId, revoked.keyId)
    const { key } = api.alice
    const headers = [
      undefined,
      '',
      'Bearer',
      `Basic ${key}`,
      key,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      `Bearer ${newApiKey().key}`,
      `Bearer ${expired.key}`,
      `Bearer ${revoked.key}`,
    ]
    for (const authorization of headers) {
      const answer = await inject(api.app, {
        url: '/v1/contacts',
        headers: authorization === undefined ? {} : { authorization },
      })
      expect([authorization, answer.status]).toEqual([authorization, 401])
      expect(answer.headers['www-authenticate']).toBe('Bearer')
      const { requestId, ...rest } = answer.body
      expect(requestId).toBe(answer.headers['x-request-id'])
      expect(rest).toEqual({
        error: 'Credentials are missing or invalid',
        code: 'UNAUTHORIZED',
      })
    }
  })

  test('a key that is revoked stops working within a second', async () => {
    const client = await api.client(api.alice.organizationId, ['full'])
    expect((await client.get('/v1/contacts')).status).toBe(200)
    await apiKeys.revoke(api.sql, client.organizationId, client.keyId)
    await sleep(1_000)
    expect((await client.get('/v1/contacts')).status).toBe(401)
  })

  test('the minute of use is noted', async () => {
    const client = await api.client(api.alice.organizationId, ['full'])
    await client.get('/v1/contacts')
    const lastUsedAt = async () => {
      const [row] = await api.sql<{ lastUsedAt: string | null }[]>`
        select last_used_at from api_keys where id = ${client.keyId}`
      return row?.lastUsedAt ?? 'never'
    }
    await expect.poll(lastUsedAt).toMatch(/:00\.000Z$/)
  })
})

describe('scopes', () => {
  const writes = {
    contacts: ['POST', '/v1/contacts'],
    send: ['POST', '/v1/batch'],
    full: ['POST', '/v1/connections'],
  } as const

  test.each([
    ['read', []],
    ['contacts', ['contacts']],
    ['events', []],
    ['send', ['send']],
    ['full', ['contacts', 'send', 'full']],
  ] as const)('a key with %s may write %j', async (scope, may) => {
    const client = await api.client(api.alice.organizationId, [scope])
    for (const [name, [method, url]] of Object.entries(writes)) {
      const answer = await client.send({ method, url, payload: {} })
      const isAllowed = may.some((each) => each === name)
      expect([name, answer.status === 403]).toEqual([name, !isAllowed])
      if (isAllowed) continue
      expect(answer.body).toMatchObject({ code: 'FORBIDDEN', reason: 'insufficient_scope' })
      expect(answer.headers['www-authenticate']).toBe(
        `Bearer error="insufficient_scope", scope="${name}"`,
      )
    }
  })

  test('send reads templates and batches and not contacts; events reads nothing', async () => {
    const sender = await api.client(api.alice.organizationId, ['send'])
    expect((await sender.get('/v1/templates')).status).toBe(200)
    expect((await sender.get('/v1/batch')).status).toBe(200)
    expect((await sender.get('/v1/contacts')).status).toBe(403)
    const tracker = await api.client(api.alice.organizationId, ['events'])
    for (const path of ['contacts', 'batch', 'templates', 'connections', 'email/logs']) {
      expect((await tracker.get(`/v1/${path}`)).status).toBe(403)
    }
  })
})

test('a route that declares neither a scope nor that it is public stops the boot', async () => {
  const app = await buildApp(api.deps)
  expect(() => app.get('/forgotten', () => 'open')).toThrow(/declares neither/)
  await app.close()
})
