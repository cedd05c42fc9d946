import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, inject, startApi, tally } from '../support/api.ts'
import {
  COOKIE,
  consoleSettings,
  cookieOf,
  FROM_PAGE,
  fromPage,
  signIn,
} from '../support/console.ts'
import { addMember, join, logIn, PASSWORD, type Person, someAddress } from '../support/people.ts'

let api: Api
let bob: Person
beforeAll(async () => {
  api = await startApi({ console: consoleSettings, corsOrigins: ['https://app.example.com'] })
  bob = await addMember(api.sql, api.alice.organizationId, 'admin')
  await join(api.sql, api.charlie.organizationId, bob, 'viewer')
})
afterAll(() => api.close())

const session = async (more: object = {}): Promise<string> =>
  cookieOf(await signIn(api, { email: bob.email, ...more })) ?? 'no cookie'
const apiOf = (organizationId: string, path: string) => `/console/api/${organizationId}${path}`
const contactsUrl = () => apiOf(api.alice.organizationId, '/v1/contacts')
const contact = () => ({ email: `${Math.random()}@example.com` })

describe('signing in', () => {
  test('sets a cookie that no script and no other site gets, and answers who it is', async () => {
    const { status, body, headers, text } = await signIn(api, { email: bob.email })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      user: { id: bob.id, email: bob.email },
      organization: { id: api.alice.organizationId, name: 'A' },
      role: 'admin',
      organizations: [
        { name: 'A', role: 'admin' },
        { name: 'B', role: 'viewer' },
      ],
    })
    expect(body.scopes).toContain('full')
    const cookie = String(headers['set-cookie'])
    expect(cookie).toMatch(
      new RegExp(`^${COOKIE}=loomses_\\w+; Path=/; HttpOnly; SameSite=Strict; Secure$`),
    )
    expect(text).not.toContain('loomses_')
  })

  test('lasts as long as the session when the person wants to stay', async () => {
    const { headers, body } = await signIn(api, { email: bob.email, keep: true })
    const expires = new Date(body.expiresAt).toUTCString()
    expect(String(headers['set-cookie'])).toContain(`; Expires=${expires}`)
  })

  test('has another name on plain HTTP, where browsers refuse the prefix', async () => {
    const plain = await startApi({ console: consoleSettings, publicUrl: 'http://127.0.0.1:3000' })
    const person = await addMember(plain.sql, plain.alice.organizationId, 'viewer')
    const { headers } = await signIn(plain, { email: person.email })
    expect(String(headers['set-cookie'])).toMatch(
      /^letterloom-dev=loomses_\w+; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    await plain.close()
  })

  test('is refused as logging in is, and counted with it', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'viewer')
    const address = someAddress()
    const wrong = (payload: object) =>
      fromPage(api, undefined, {
        method: 'POST',
        url: '/console/session',
        remoteAddress: address,
        payload: { email: person.email, password: 'not this one', ...payload },
      })
    const answers = [await wrong({}), await wrong({}), await wrong({})]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
    expect(answers.map(cookieOf)).toEqual([undefined, undefined, undefined])
    const rest = [1, 2, 3].map(() =>
      logIn(api.app, { email: person.email, password: 'x', address }),
    )
    const statuses = (await Promise.all(rest)).map(({ status }) => status)
    expect(tally(statuses)).toEqual({ 401: 2, 429: 1 })
    expect((await wrong({ password: PASSWORD })).status).toBe(429)
  })
})

describe('the signed-in person', () => {
  const ask = (cookie?: string) => fromPage(api, cookie, { url: '/console/session' })

  test('is told by the cookie; nobody is no mistake', async () => {
    const { status, body } = await ask(await session())
    expect([status, body.user.id, body.role]).toEqual([200, bob.id, 'admin'])
    expect((await ask()).status).toBe(204)
    expect((await ask('loomses_nonsense')).status).toBe(401)
  })

  test('changes with the organization; the page of the other one is refused', async () => {
    const before = await session({ keep: true })
    const switched = await fromPage(api, before, {
      method: 'POST',
      url: '/console/session/switch',
      payload: { organizationId: api.charlie.organizationId },
    })
    expect([switched.status, switched.body]).toEqual([200, { success: true }])
    const after = cookieOf(switched) ?? ''
    // As long as the first one, and kept as that one was.
    expect(String(switched.headers['set-cookie'])).toContain('; Expires=')
    expect((await ask(after)).body).toMatchObject({ organization: { name: 'B' }, role: 'viewer' })
    expect((await ask(before)).status).toBe(401)

    const stale = await fromPage(api, after, { url: contactsUrl() })
    expect([stale.status, stale.body.reason]).toEqual([409, 'organization_changed'])
    // Not even what the role there would refuse anyway.
    const sent = await fromPage(api, after, {
      method: 'POST',
      url: contactsUrl(),
      payload: contact(),
    })
    expect([sent.status, sent.body.reason]).toEqual([409, 'organization_changed'])
    const own = await fromPage(api, after, {
      url: apiOf(api.charlie.organizationId, '/v1/contacts'),
    })
    expect(own.status).toBe(200)
  })

  test('ends with signing out, and the browser forgets it whatever happens', async () => {
    const cookie = await session()
    const out = (value: string) =>
      fromPage(api, value, { method: 'DELETE', url: '/console/session' })
    const first = await out(cookie)
    expect([first.status, String(first.headers['set-cookie'])]).toEqual([
      200,
      expect.stringMatching(new RegExp(`^${COOKIE}=;.*Max-Age=0$`)),
    ])
    expect((await ask(cookie)).status).toBe(401)
    const again = await out(cookie)
    expect([again.status, cookieOf(again)]).toEqual([401, ''])
  })
})

describe('a request of the page', () => {
  test('is the same as one with the token: keys of idempotency, scopes, errors', async () => {
    const cookie = await session()
    const post = () =>
      fromPage(api, cookie, {
        method: 'POST',
        url: contactsUrl(),
        headers: { 'idempotency-key': 'once' },
        payload: { email: 'twice@example.com' },
      })
    const [first, second] = [await post(), await post()]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.body.id).toBe(first.body.id)
    const missing = await fromPage(api, cookie, { url: `${contactsUrl()}/${api.alice.keyId}` })
    expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND'])

    const viewer = await addMember(api.sql, api.alice.organizationId, 'viewer')
    const weak = cookieOf(await signIn(api, { email: viewer.email })) ?? ''
    const refused = await fromPage(api, weak, {
      method: 'POST',
      url: contactsUrl(),
      payload: contact(),
    })
    expect([refused.status, refused.body.reason]).toEqual([403, 'insufficient_scope'])
  })

  test('never reaches what would answer a token, or anything outside of the API', async () => {
    const cookie = await session()
    const paths = [
      '/auth/login',
      '/auth/switch',
      '/auth/logout',
      '/auth/sessions/../switch',
      '/v1/../auth/switch',
      '/v1/%2e%2e/auth/switch',
      '//auth/switch',
      '/health',
      '/webhooks/ses/123456789012',
      '',
      '/',
    ]
    for (const path of paths) {
      const { status } = await fromPage(api, cookie, {
        method: 'POST',
        url: apiOf(api.alice.organizationId, path),
        payload: {
          organizationId: api.charlie.organizationId,
          email: bob.email,
          password: PASSWORD,
        },
      })
      expect([path, status]).toEqual([path, 404])
    }
    expect((await fromPage(api, cookie, { url: '/console/api/nowhere/v1/contacts' })).status).toBe(
      404,
    )
  })
})

describe('a request from elsewhere than the page is refused', () => {
  const refusal = async (
    cookie: string,
    headers: Record<string, string>,
    method: 'GET' | 'POST',
  ) => {
    const { status, body } = await inject(api.app, {
      method,
      url: contactsUrl(),
      headers: { cookie: `${COOKIE}=${cookie}`, ...headers },
      ...(method === 'POST' ? { payload: contact() } : {}),
    })
    return [status, body.reason]
  }
  const REFUSED = [403, 'not_from_console']
  const own = { 'x-letterloom-console': '1' }

  test('by a foreign site, a sibling, a form, a link, a program', async () => {
    const cookie = await session()
    const attacks: [string, Record<string, string>][] = [
      ['another site', { ...own, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
      ['a sibling host', { ...own, 'sec-fetch-site': 'same-site' }],
      ['a form of a sibling', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' }],
      ['without the header', { 'sec-fetch-site': 'same-origin' }],
      ['a navigation', { ...own, 'sec-fetch-site': 'none' }],
      ['a program', own],
      ['an old browser elsewhere', { ...own, origin: 'https://evil.example' }],
      ['an opaque origin', { ...own, origin: 'null' }],
      ['credentials of its own', { ...FROM_PAGE, authorization: `Bearer ${api.alice.key}` }],
    ]
    for (const [name, headers] of attacks) {
      expect([name, ...(await refusal(cookie, headers, 'POST'))]).toEqual([name, ...REFUSED])
    }
    // Of an old browser the Origin is believed.
    const old = await refusal(cookie, { ...own, origin: 'https://mail.example.com' }, 'POST')
    expect(old).toEqual([201, undefined])
  })

  test('reading needs no header, for downloads, but a browser that says it is the page', async () => {
    const cookie = await session()
    expect(await refusal(cookie, { 'sec-fetch-site': 'same-origin' }, 'GET')).toEqual([
      200,
      undefined,
    ])
    for (const site of ['same-site', 'cross-site', 'none']) {
      expect(await refusal(cookie, { 'sec-fetch-site': site }, 'GET')).toEqual(REFUSED)
    }
    expect(await refusal(cookie, {}, 'GET')).toEqual(REFUSED)
  })

  test('signing in, out and switching are guarded alike, however the address is spelled', async () => {
    const cookie = await session()
    const post = (url: string, payload: object) =>
      inject(api.app, {
        method: 'POST',
        url,
        headers: { cookie: `${COOKIE}=${cookie}`, 'sec-fetch-site': 'cross-site' },
        payload,
      })
    const login = { email: bob.email, password: PASSWORD }
    for (const url of ['/console/session', '/consol%65/session', '/console/session/']) {
      const answer = await post(url, login)
      expect([url, answer.status, cookieOf(answer)]).toEqual([url, 403, undefined])
    }
    const input = { organizationId: api.charlie.organizationId }
    expect((await post('/console/session/switch', input)).status).toBe(403)
    // Without the rewrite there is no token.
    expect((await post('/consol%65/session/switch', input)).status).toBe(401)
    const out = await inject(api.app, {
      method: 'DELETE',
      url: '/console/session',
      headers: { cookie: `${COOKIE}=${cookie}`, 'sec-fetch-site': 'cross-site' },
    })
    expect([out.status, cookieOf(out)]).toEqual([403, undefined])
    expect((await fromPage(api, cookie, { url: '/console/session' })).status).toBe(200)
  })

  test('no origin may ask beforehand, not even a configured one', async () => {
    for (const origin of ['https://app.example.com', 'https://evil.example']) {
      const { status, headers } = await inject(api.app, {
        method: 'OPTIONS',
        url: contactsUrl(),
        headers: {
          origin,
          'sec-fetch-site': 'cross-site',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-letterloom-console',
        },
      })
      expect([status, headers['access-control-allow-origin']]).toEqual([403, undefined])
    }
  })

  test('the cookie is worth nothing under /v1 and /auth', async () => {
    const cookie = await session()
    for (const url of ['/v1/contacts', '/auth/session', '/auth/sessions']) {
      const { status } = await inject(api.app, {
        url,
        headers: { ...FROM_PAGE, cookie: `${COOKIE}=${cookie}` },
      })
      expect([url, status]).toEqual([url, 401])
    }
  })
})

test('without the console there is nothing of it', async () => {
  const bare = await startApi()
  const person = await addMember(bare.sql, bare.alice.organizationId, 'viewer')
  expect((await signIn(bare, { email: person.email })).status).toBe(404)
  expect((await inject(bare.app, { url: '/console' })).status).toBe(404)
  await bare.close()
})
