import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { newSessionToken } from '../../src/keys/tokens.ts'
import { type Api, inject, startApi } from '../support/api.ts'
import {
  addMember,
  join,
  logIn,
  PASSWORD,
  sessionOf,
  signIn,
  withToken,
} from '../support/people.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Longer than any process remembers a session. */
const FORGOTTEN_MS = 1_000

let api: Api
/** It stands: what a session may in its last millisecond is asked. */
let now = Date.now()
beforeAll(async () => {
  api = await startApi({ now: () => now })
})
afterAll(() => api.close())

const statusOf = async ({
  send,
}: {
  send: (method: 'GET', url: string) => Promise<{ status: number }>
}) => (await send('GET', '/v1/organization')).status

/** When a session was last used, to be polled: it is noted beside the answer. */
const lastSeenAt =
  ({ id }: { id: string }) =>
  async () => {
    const [row] = await api.sql<{ lastSeenAt: string }[]>`
      select last_seen_at from sessions where user_id = ${id}`
    return row?.lastSeenAt
  }
const thisMinute = () => new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS).toISOString()

describe('a session', () => {
  test('works in its organization like a key', async () => {
    const bob = await signIn(api.app, api.sql, api.alice.organizationId, 'member')
    const { status, body } = await bob.send('GET', '/v1/organization')
    expect([status, body.id]).toEqual([200, api.alice.organizationId])
    const made = await bob.send('POST', '/v1/contacts', { email: 'ada@example.com' })
    expect(made.status).toBe(201)
    const stranger = await signIn(api.app, api.sql, api.charlie.organizationId, 'owner')
    expect((await stranger.send('GET', `/v1/contacts/${made.body.id}`)).status).toBe(403)
  })

  test('a malformed, an unknown and an expired token get the same 401 as a key', async () => {
    const bob = await signIn(api.app, api.sql, api.alice.organizationId, 'member')
    const tokens = [
      bob.token.slice(0, -1),
      `${bob.token.slice(0, -1)}${bob.token.endsWith('0') ? '1' : '0'}`,
      bob.token.replace('loomses_', 'loom_'),
      newSessionToken().token,
    ]
    for (const token of tokens) {
      const { status, body, headers } = await inject(api.app, {
        url: '/v1/organization',
        headers: { authorization: `Bearer ${token}` },
      })
      const { requestId, ...rest } = body
      expect(requestId).toBeDefined()
      expect([token, status, headers['www-authenticate']]).toEqual([token, 401, 'Bearer'])
      expect(rest).toEqual({ error: 'Credentials are missing or invalid', code: 'UNAUTHORIZED' })
    }
    const cookie = await inject(api.app, {
      url: '/v1/organization',
      headers: { cookie: `token=${bob.token}; session=${bob.token}` },
    })
    expect(cookie.status).toBe(401)
  })

  test('ends when it was not used for fourteen days, and use keeps it', async () => {
    const start = now
    const bob = await signIn(api.app, api.sql, api.alice.organizationId, 'member')
    now = start + 14 * DAY_MS - MINUTE_MS
    expect(await statusOf(bob)).toBe(200)
    await expect.poll(lastSeenAt(bob)).toBe(thisMinute())
    await sleep(FORGOTTEN_MS)
    now += 14 * DAY_MS - 2 * MINUTE_MS
    expect(await statusOf(bob)).toBe(200)
    await expect.poll(lastSeenAt(bob)).toBe(thisMinute())
    await sleep(FORGOTTEN_MS)
    now += 14 * DAY_MS
    expect(await statusOf(bob)).toBe(401)
  })

  test('ends after sixty days however much it is used, also when it was switched', async () => {
    const start = now
    const person = await addMember(api.sql, api.alice.organizationId, 'member')
    await join(api.sql, api.charlie.organizationId, person, 'member')
    const bob = await sessionOf(api.app, person)
    for (let day = 10; day < 60; day += 10) {
      now = start + day * DAY_MS
      expect(await statusOf(bob)).toBe(200)
      await expect.poll(lastSeenAt(bob)).toBe(thisMinute())
      await sleep(FORGOTTEN_MS)
    }
    const { organizationId } = api.charlie
    const { body } = await bob.send('POST', '/auth/switch', { organizationId })
    expect(body.expiresAt).toBe(new Date(start + 60 * DAY_MS).toISOString())
    const switched = withToken(api.app, { ...person, ...body })
    now = start + 60 * DAY_MS - 1
    expect(await statusOf(switched)).toBe(200)
    now = start + 60 * DAY_MS
    expect(await statusOf(switched)).toBe(401)
  })

  test('is seen by the minute', async () => {
    const bob = await signIn(api.app, api.sql, api.alice.organizationId, 'member')
    now += 2 * MINUTE_MS
    await statusOf(bob)
    now += 1
    await statusOf(bob)
    await expect.poll(lastSeenAt(bob)).toBe(thisMinute())
  })
})

describe('ending sessions', () => {
  test('logging out ends this one and no other, at once here and elsewhere within a second', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'member')
    const [bob, elsewhere] = [await sessionOf(api.app, person), await sessionOf(api.app, person)]
    const other = await buildApp(api.deps)
    const there = withToken(other, bob)
    expect(await statusOf(there)).toBe(200)
    expect(await statusOf(bob)).toBe(200)
    expect((await bob.send('POST', '/auth/logout')).body).toEqual({ success: true })
    expect(await statusOf(bob)).toBe(401)
    await sleep(FORGOTTEN_MS)
    expect(await statusOf(there)).toBe(401)
    expect(await statusOf(elsewhere)).toBe(200)
    await other.close()
  })

  test('a person lists and ends their own sessions only, wherever they are', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'viewer')
    await join(api.sql, api.charlie.organizationId, person, 'viewer')
    const here = await sessionOf(api.app, person, api.alice.organizationId)
    const there = await sessionOf(api.app, person, api.charlie.organizationId)
    const foreign = await signIn(api.app, api.sql, api.alice.organizationId, 'owner')
    const { body } = await here.send('GET', '/auth/sessions')
    expect(body.data).toEqual([
      expect.objectContaining({ organizationName: 'B', current: false }),
      expect.objectContaining({ organizationName: 'A', current: true }),
    ])
    expect(JSON.stringify(body)).not.toContain('loomses_')
    const first = await here.send('GET', '/auth/sessions?limit=1')
    const second = await here.send('GET', `/auth/sessions?limit=1&cursor=${first.body.nextCursor}`)
    expect([...first.body.data, ...second.body.data]).toEqual(body.data)
    expect(second.body.nextCursor).toBeNull()

    const [{ id: thereId }] = body.data
    expect(await statusOf(there)).toBe(200)
    expect((await foreign.send('DELETE', `/auth/sessions/${thereId}`)).status).toBe(404)
    expect(await statusOf(there)).toBe(200)
    expect((await here.send('DELETE', `/auth/sessions/${thereId}`)).status).toBe(200)
    expect((await here.send('DELETE', `/auth/sessions/${thereId}`)).status).toBe(404)
    expect((await here.send('DELETE', '/auth/sessions/nonsense')).status).toBe(404)
    expect(await statusOf(there)).toBe(401)
    expect(await statusOf(here)).toBe(200)
  })

  test('all but this one', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'viewer')
    const others = [await sessionOf(api.app, person), await sessionOf(api.app, person)]
    const bob = await sessionOf(api.app, person)
    for (const other of others) expect(await statusOf(other)).toBe(200)
    expect((await bob.send('DELETE', '/auth/sessions')).body).toEqual({ success: true, ended: 2 })
    for (const other of others) expect(await statusOf(other)).toBe(401)
    expect(await statusOf(bob)).toBe(200)
  })

  test('a request that looked the session up meanwhile does not keep it alive', async () => {
    for (let round = 0; round < 20; round++) {
      const bob = await signIn(api.app, api.sql, api.alice.organizationId, 'member')
      // The first use of the session in this process is under way while it ends.
      const [used] = await Promise.all([statusOf(bob), bob.send('POST', '/auth/logout')])
      expect([200, 401]).toContain(used)
      expect(await statusOf(bob)).toBe(401)
    }
  })

  test('keys have no sessions', async () => {
    for (const [method, url] of [
      ['GET', '/auth/sessions'],
      ['POST', '/auth/logout'],
    ] as const) {
      const { status, body } = await api.alice.send({ method, url })
      expect([url, status, body.reason]).toEqual([url, 403, 'session_required'])
    }
  })
})

describe('switching', () => {
  test('is for members, gives another token and ends the old one', async () => {
    const bob = await signIn(api.app, api.sql, api.alice.organizationId, 'owner')
    const { organizationId } = api.charlie
    const refused = await bob.send('POST', '/auth/switch', { organizationId })
    expect([refused.status, refused.body.reason]).toEqual([403, 'not_a_member'])
    expect(await statusOf(bob)).toBe(200)
    await join(api.sql, organizationId, bob, 'viewer')
    const { status, body } = await bob.send('POST', '/auth/switch', { organizationId })
    expect(status).toBe(200)
    const there = withToken(api.app, { ...bob, ...body })
    expect((await there.send('GET', '/v1/organization')).body.id).toBe(organizationId)
    expect((await there.send('POST', '/v1/contacts', {})).status).toBe(403)
    await sleep(FORGOTTEN_MS)
    expect(await statusOf(bob)).toBe(401)
  })

  test('twenty times at once gives one token', async () => {
    const bob = await signIn(api.app, api.sql, api.alice.organizationId, 'member')
    await join(api.sql, api.charlie.organizationId, bob, 'member')
    const { organizationId } = api.charlie
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => bob.send('POST', '/auth/switch', { organizationId })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })
})

describe('changing the password', () => {
  const changed = 'staple of the horse'

  test('needs the present one, ends the other sessions everywhere, and keeps this one', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'member')
    await join(api.sql, api.charlie.organizationId, person, 'member')
    const other = await sessionOf(api.app, person, api.charlie.organizationId)
    const bob = await sessionOf(api.app, person, api.alice.organizationId)
    const wrong = await bob.send('POST', '/auth/password', {
      currentPassword: 'this is not it',
      newPassword: changed,
    })
    expect([wrong.status, wrong.body.reason]).toEqual([400, 'wrong_password'])
    expect(await statusOf(other)).toBe(200)
    const body = { currentPassword: PASSWORD, newPassword: changed }
    expect((await bob.send('POST', '/auth/password', body)).status).toBe(200)
    await sleep(FORGOTTEN_MS)
    expect(await statusOf(other)).toBe(401)
    expect(await statusOf(bob)).toBe(200)
    expect((await logIn(api.app, { email: person.email })).status).toBe(401)
    expect((await logIn(api.app, { email: person.email, password: changed })).status).toBe(200)
  })

  test.each([
    ['eleven char', 422],
    ['twelve chars', 200],
    ['x'.repeat(256), 200],
    ['x'.repeat(257), 422],
  ])('a new password "%s" is %i', async (newPassword, wanted) => {
    const bob = await signIn(api.app, api.sql, api.alice.organizationId, 'member')
    const body = { currentPassword: PASSWORD, newPassword }
    expect((await bob.send('POST', '/auth/password', body)).status).toBe(wanted)
  })

  test('from a stolen session it is no faster than logging in', async () => {
    const bob = await signIn(api.app, api.sql, api.alice.organizationId, 'member')
    const guess = { currentPassword: 'this is not it', newPassword: changed }
    const statuses = []
    for (let n = 0; n < 6; n++)
      statuses.push((await bob.send('POST', '/auth/password', guess)).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
  })
})
