import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { addMember, join, sessionOf } from '../support/people.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

test('a session says whose it is, where it works and what it may do', async () => {
  const bob = await addMember(api.sql, api.alice.organizationId, 'member')
  await join(api.sql, api.charlie.organizationId, bob, 'viewer')
  const { send, token } = await sessionOf(api.app, bob, api.charlie.organizationId)
  const { status, body, text } = await send('GET', '/auth/session')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    user: { id: bob.id, email: bob.email, name: 'Somebody' },
    organization: { id: api.charlie.organizationId, name: 'B' },
    role: 'viewer',
    scopes: ['read', 'session'],
  })
  const organizations: { name: string }[] = body.organizations
  expect(organizations.map(({ name }) => name)).toEqual(['A', 'B'])
  expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now())
  expect(text).not.toContain(token)
})

test('a role that was changed meanwhile is told', async () => {
  const { send, id } = await sessionOf(
    api.app,
    await addMember(api.sql, api.alice.organizationId, 'viewer'),
  )
  await api.sql`update memberships set role = 'admin' where user_id = ${id}`
  await expect.poll(async () => (await send('GET', '/auth/session')).body.role).toBe('admin')
})

test('a key is no person', async () => {
  const { status, body } = await api.alice.get('/auth/session')
  expect([status, body.reason]).toEqual([403, 'session_required'])
})
