import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../../api/app.ts'
import { proxyMatcher } from '../../../api/http/edges/proxies.ts'
import { type Api, inject, startApi } from '../../support/api.ts'
import { documentOf } from '../../support/document.ts'

const ORIGIN = 'https://app.example.com'

let api: Api
beforeAll(async () => {
  api = await startApi({ corsOrigins: [ORIGIN] })
})
afterAll(() => api.close())

describe('every answer says what browsers must not do with it', () => {
  test.each([
    ['an answer', { url: '/health' }, 200],
    ['an answer with credentials', { url: '/v1/contacts' }, 401],
    ['an unknown route', { url: '/nothing' }, 404],
    ['a broken path', { url: '/v1/batch/%zz' }, 400],
    ['another method', { method: 'PUT' as const, url: '/health' }, 405],
  ])('%s', async (_name, request, status) => {
    const answer = await inject(api.app, request)
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  test('pages keep policies of their own', async () => {
    const page = await inject(api.app, { url: '/unsubscribe/x', headers: { accept: 'text/html' } })
    expect(page.headers['content-security-policy']).toMatch(/style-src 'nonce-/)
    const docs = await inject(api.app, { url: '/docs' })
    expect(docs.headers['content-security-policy']).toContain("script-src 'self'")
    expect(docs.headers['x-content-type-options']).toBe('nosniff')
  })

  test('without TLS nobody is told to insist on it', async () => {
    const app = await buildApp({ ...api.deps, publicUrl: 'http://127.0.0.1:3000' })
    const { headers } = await inject(app, { url: '/health' })
    expect(headers['strict-transport-security']).toBeUndefined()
    await app.close()
  })
})

describe('scripts of other origins', () => {
  const preflight = (url: string, origin = ORIGIN): InjectOptions => ({
    method: 'OPTIONS',
    url,
    headers: { origin, 'access-control-request-method': 'POST' },
  })

  test('of a configured one may ask: the preflight needs no credentials', async () => {
    const { status, headers, text } = await inject(api.app, preflight('/v1/contacts/?page=1'))
    expect([status, text]).toEqual([204, ''])
    expect(headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'DELETE, GET, HEAD, POST',
      'access-control-allow-headers': expect.stringContaining('Authorization'),
      vary: 'Origin',
    })
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('may read refusals, limits and the request id', async () => {
    const { status, headers } = await inject(api.app, {
      url: '/v1/contacts',
      headers: { origin: ORIGIN },
    })
    expect(status).toBe(401)
    expect(headers['access-control-allow-origin']).toBe(ORIGIN)
    const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(', ')
    // Not of an operation, or of none today.
    const others = ['allow', 'deprecation', 'sunset', 'link']
    const documented = Object.keys(documentOf(api.app).components.headers)
    expect(documented).toContain('RateLimit-Reset')
    expect(documented).toContain('X-Event-Remaining')
    expect(exposed.sort()).toEqual(
      [...documented.map((name) => name.toLowerCase()), ...others].sort(),
    )
  })

  test('may read why a path is refused that no route can have', async () => {
    for (const url of ['/v1/batch/%zz', `/v1/batch/${'a'.repeat(1_025)}`]) {
      const { status, headers } = await inject(api.app, { url, headers: { origin: ORIGIN } })
      expect([status, headers['access-control-allow-origin'], headers['vary']]).toEqual([
        400,
        ORIGIN,
        'Origin',
      ])
      const other = await inject(api.app, { url, headers: { origin: 'https://evil.example' } })
      expect(other.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test.each([
    'https://evil.example',
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'null',
  ])('of %s get no leave, neither to ask nor to read', async (origin) => {
    const asked = await inject(api.app, preflight('/v1/contacts', origin))
    expect(asked.status).toBe(405)
    const read = await inject(api.app, { url: '/health', headers: { origin } })
    for (const { headers } of [asked, read]) {
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(headers['vary']).toBe('Origin')
    }
  })

  test('OPTIONS stays 404 where nothing is, and 405 when it is no preflight', async () => {
    expect((await inject(api.app, preflight('/v1/nothing'))).status).toBe(404)
    const plain = await inject(api.app, { method: 'OPTIONS', url: '/v1/contacts' })
    expect([plain.status, plain.headers['allow']]).toEqual([405, 'DELETE, GET, HEAD, POST'])
  })

  test('get nothing where no origin is configured', async () => {
    const app = await buildApp({ ...api.deps, corsOrigins: [] })
    const { status, headers } = await inject(app, preflight('/v1/contacts'))
    expect([status, headers['access-control-allow-origin'], headers['vary']]).toEqual([
      405,
      undefined,
      undefined,
    ])
    await app.close()
  })
})

describe('the address of a caller', () => {
  async function seen(trustedProxies: string[], remoteAddress: string, forwarded: string) {
    const app = await buildApp({ ...api.deps, trustedProxies })
    app.get('/address', { config: { public: true } }, ({ ip }) => ({ ip }))
    const headers = { 'x-forwarded-for': forwarded }
    const { body } = await inject(app, { url: '/address', remoteAddress, headers })
    await app.close()
    return body.ip
  }

  test.each([
    ['nobody is trusted', [], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['nobody is trusted, not even this machine', [], '127.0.0.1', '198.51.100.1', '127.0.0.1'],
    ['a stranger spoofs', ['10.0.0.0/8'], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['the proxy says who', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    [
      'the proxy passes on a spoof',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '1.1.1.1, 198.51.100.1',
      '198.51.100.1',
    ],
    [
      'two proxies',
      ['10.0.0.0/8', 'loopback'],
      '127.0.0.1',
      '198.51.100.1, 10.9.9.9',
      '198.51.100.1',
    ],
    ['a port is nobody', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    [
      'ports everywhere',
      ['10.0.0.0/8', 'loopback'],
      '127.0.0.1',
      '1.1.1.1:1,[2001:db8::7]:4711 , 10.9.9.9:80',
      '2001:db8::7',
    ],
    ['brackets without a port', ['10.0.0.0/8'], '10.1.2.3', '[2001:db8::7]', '2001:db8::7'],
    ['no address at all', ['10.0.0.0/8'], '10.1.2.3', 'unknown', '10.1.2.3'],
    ['nothing', ['10.0.0.0/8'], '10.1.2.3', '', '10.1.2.3'],
    [
      'what came before no address is not believed',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '1.1.1.1, unknown, 10.9.9.9',
      '10.9.9.9',
    ],
    ['whoever connects is a proxy', ['peer'], '203.0.113.9', '198.51.100.1', '198.51.100.1'],
    [
      'whoever connects is a proxy, and nobody behind it',
      ['peer'],
      '203.0.113.9',
      '1.1.1.1, 10.9.9.9',
      '10.9.9.9',
    ],
    [
      'whoever connects is a proxy, and another behind it',
      ['peer', '10.0.0.0/8'],
      '203.0.113.9',
      '1.1.1.1, 198.51.100.1, 10.9.9.9',
      '198.51.100.1',
    ],
    ['IPv6 speaks IPv4', ['10.0.0.0/8'], '::ffff:10.1.2.3', '2001:db8::7', '2001:db8::7'],
  ])('%s', async (_name, trusted, peer, forwarded, address) => {
    expect(await seen(trusted, peer, forwarded)).toBe(address)
  })

  test('proxies may be addresses, ranges and names; anything else is refused by its name', () => {
    const isProxy = proxyMatcher(['192.0.2.1', '2001:db8::/32', 'loopback'])
    const trusted = ['192.0.2.1', '2001:db8:1::1', '127.0.0.9', '::1', '::ffff:127.0.0.1']
    expect(trusted.filter((each) => !isProxy(each, 0))).toEqual([])
    const others = ['192.0.2.2', '2001:db9::1', '10.0.0.1', '', 'loopback']
    expect(others.filter((each) => isProxy(each, 0))).toEqual([])
    expect(() => proxyMatcher(['everybody'])).toThrow('TRUSTED_PROXIES: "everybody"')
  })
})
