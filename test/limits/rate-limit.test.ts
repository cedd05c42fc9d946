import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { createLimiter } from '../../api/limits/limiter.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { connect } from '../../src/store/db/sql.ts'
import {
  addressHash,
  newApiKey,
  newKeyringText,
  newWebhookSecret,
  parseKeyring,
  signUnsubscribe,
} from '../../src/keys/tokens.ts'
import {
  type Api,
  type Client,
  connectAccount,
  inject,
  startApi,
  tally,
  wasVerified,
} from '../support/api.ts'
import { addMember, join, logIn, sessionOf, signIn } from '../support/people.ts'

const accountId = '123456789012'
const LIMIT_HEADERS = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
] as const

let api: Api
let asked: string[] = []
let address: string
let next = 1
beforeAll(async () => {
  api = await startApi({}, { onQuery: (query) => asked.push(query) })
})
beforeEach(() => {
  address = `192.0.2.${next++}`
  asked = []
})
afterAll(() => api.close())

async function organization(plan: string, scopes = ['full']): Promise<Client> {
  const id = uuidv7()
  await organizations.create(api.sql, { id, name: plan, plan })
  return api.client(id, scopes)
}
const from = (remoteAddress: string, url: string, headers: object = {}, payload?: string) =>
  inject(api.app, {
    url,
    remoteAddress,
    headers: { ...headers },
    ...(payload === undefined ? {} : { method: 'POST' as const, payload }),
  })
const limits = (headers: Record<string, unknown>) =>
  Object.fromEntries(LIMIT_HEADERS.map((name) => [name, headers[name]]))
const nobodyCounted = (headers: Record<string, unknown>) =>
  expect(limits(headers)).toEqual(
    Object.fromEntries(LIMIT_HEADERS.map((name) => [name, undefined])),
  )
const times = <T>(count: number, act: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, act))

describe('an organization', () => {
  test('is told about the window that is nearest to exhaustion', async () => {
    const client = await organization('free')
    const first = await client.get('/v1/contacts')
    expect([first.status, limits(first.headers)]).toEqual([
      200,
      {
        'ratelimit-limit': '50',
        'ratelimit-remaining': '49',
        'ratelimit-reset': '60',
        'ratelimit-policy': '50;w=60, 1000;w=86400',
        'x-ratelimit-limit': '50',
        'x-ratelimit-remaining': '49',
      },
    ])
    expect(first.headers).not.toHaveProperty('retry-after')
    // Half of the day was used an hour ago: now the day is nearer than the minute.
    await api.admin`
      update rate_limits
      set mark_counts = array[1, 980], mark_at = array[mark_at[1], mark_at[2] - 3600000]
      where subject = ${client.organizationId}`
    const { headers } = await client.get('/v1/contacts')
    expect(limits(headers)).toMatchObject({
      'ratelimit-limit': '1000',
      'ratelimit-remaining': '19',
    })
    expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(82_000)
    expect(Number(headers['ratelimit-reset'])).toBeLessThanOrEqual(82_800)
  })

  test('gets exactly its fifty through, however many come at once, and the refused do not count', async () => {
    const client = await organization('free')
    const answers = await times(80, () => client.get('/v1/contacts'))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 50, 429: 30 })
    const remaining = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => headers['ratelimit-remaining'])
    expect(remaining.map(Number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    )
    const refused = answers.find(({ status }) => status === 429)!
    expect(refused.body).toEqual({
      error: expect.stringMatching(/^Too many requests\. Try again in \d+ seconds\.$/),
      code: 'RATE_LIMITED',
      requestId: expect.any(String),
    })
    expect(limits(refused.headers)).toMatchObject({
      'ratelimit-remaining': '0',
      'ratelimit-limit': '50',
    })
    expect(refused.headers['retry-after']).toBe(refused.headers['ratelimit-reset'])
    const [row] = await api.admin<{ used: number[] }[]>`
      select used from rate_limits where subject = ${client.organizationId}`
    expect(row?.used).toEqual([50, 50])
    // Refusing costs no statement while nothing can have changed.
    asked = []
    expect((await client.get('/v1/contacts')).status).toBe(429)
    expect(asked.filter((query) => query.includes('from contacts'))).toEqual([])
    // And another organization is not concerned.
    expect((await api.charlie.get('/v1/contacts')).status).toBe(200)
  })

  test('counts errors as well, the limit before the scope, and not what has no valid key', async () => {
    const client = await organization('free', ['events'])
    const forbidden = await client.get('/v1/contacts')
    expect([forbidden.status, forbidden.headers['ratelimit-remaining']]).toEqual([403, '49'])
    const full = await api.client(client.organizationId, ['full'])
    const invalid = await full.post('/v1/contacts', { nonsense: true })
    expect([invalid.status, invalid.headers['ratelimit-remaining']]).toEqual([422, '48'])
    const missing = await full.get(`/v1/batch/${uuidv7()}`)
    expect([missing.status, missing.headers['ratelimit-remaining']]).toEqual([404, '47'])
    const stranger = await from(address, '/v1/contacts')
    expect([stranger.status, stranger.headers['ratelimit-policy']]).toEqual([401, '30;w=60'])
    expect((await client.get('/v1/contacts')).headers['ratelimit-remaining']).toBe('46')
    await times(50, () => client.get('/v1/contacts'))
    expect((await client.get('/v1/contacts')).status).toBe(429)
  })

  test('is told its limits on a route that does not exist, and counted for it', async () => {
    const client = await organization('free')
    const answers = [await client.get('/v1/nothing'), await client.post('/health', {})]
    expect(answers.map(({ status }) => status)).toEqual([404, 405])
    expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['49', '48'])
    await times(48, () => client.get('/v1/contacts'))
    expect((await client.get('/v1/nothing')).status).toBe(429)
    const nobody = await from(address, '/v1/nothing')
    expect([nobody.status, nobody.headers['ratelimit-limit']]).toEqual([404, undefined])
  })

  test('guesses of credentials count on routes that do not exist, too', async () => {
    const guess = (url: string) =>
      from(address, url, { authorization: `Bearer ${newApiKey().key}` })
    const answers = await times(20, () => guess('/v1/nothing'))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 404: 20 })
    expect(answers[0]?.headers['ratelimit-policy']).toBe('30;w=60')
    const known = await times(20, () => guess('/v1/contacts'))
    expect(tally(known.map(({ status }) => status))).toEqual({ 401: 10, 429: 10 })
    expect((await guess('/v1/nothing')).status).toBe(429)
    // A good key is not refused for what others at its address did.
    const { status } = await from(address, '/v1/contacts', {
      authorization: `Bearer ${api.alice.key}`,
    })
    expect(status).toBe(200)
  })

  test('can carry figures of its own', async () => {
    const client = await organization('free')
    await api.sql`
      insert into plan_overrides (organization_id, requests_per_minute)
      values (${client.organizationId}, 3)`
    const answers = await times(5, () => client.get('/v1/contacts'))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 3, 429: 2 })
    expect(answers[0]?.headers['ratelimit-policy']).toBe('3;w=60, 1000;w=86400')
  })
})

describe('a signed-in person', () => {
  test('has a limit of their own, which leaves that of the organization to its programs', async () => {
    const client = await organization('free')
    const { send } = await signIn(api.app, api.sql, client.organizationId, 'viewer')
    const answers = await times(60, () => send('GET', '/v1/contacts'))
    // More than the plan lets programs ask in a minute.
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 60 })
    expect(answers[0]!.headers['ratelimit-policy']).toBe('600;w=60, 20000;w=86400')
    const left = answers.map(({ headers }) => Number(headers['ratelimit-remaining']))
    expect(Math.min(...left)).toBe(540)
    expect((await client.get('/v1/contacts')).headers['ratelimit-remaining']).toBe('49')
  })

  test('has it in all their organizations together', async () => {
    const [one, other] = [await organization('free'), await organization('free')]
    const person = await addMember(api.sql, one.organizationId, 'viewer')
    await join(api.sql, other.organizationId, person, 'viewer')
    const [first, second] = [
      await sessionOf(api.app, person, one.organizationId),
      await sessionOf(api.app, person, other.organizationId),
    ]
    await first.send('GET', '/v1/contacts')
    const { headers } = await second.send('GET', '/v1/contacts')
    expect(headers['ratelimit-remaining']).toBe('598')
  })
})

describe('an address without credentials', () => {
  test('gets ten through in a minute, whatever public route it asks', async () => {
    const answers = await times(6, () => from(address, '/health'))
    answers.push(...(await times(3, () => from(address, '/'))))
    answers.push(...(await times(3, () => from(address, '/tools/spf-check/example.com'))))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 10, 429: 2 })
    expect(limits(answers[0]!.headers)).toMatchObject({
      'ratelimit-limit': '10',
      'ratelimit-policy': '10;w=60, 100;w=3600',
    })
    expect((await from('198.51.100.1', '/health')).status).toBe(200)
  })

  test('is an IPv6 network of /64, and an IPv4 address however it is written', async () => {
    await times(10, () => from('2001:db8:1:2::1', '/health'))
    expect((await from('2001:db8:1:2:ffff::9', '/health')).status).toBe(429)
    expect((await from('2001:db8:1:3::1', '/health')).status).toBe(200)
    await times(10, () => from(address, '/health'))
    expect((await from(`::ffff:${address}`, '/health')).status).toBe(429)
  })

  test('is stored as a keyed hash only', async () => {
    await from('203.0.113.77', '/health')
    const rows = await api.admin<{ subject: string }[]>`select subject from rate_limits`
    expect(rows.some(({ subject }) => /^address:[\w-]{22}$/.test(subject))).toBe(true)
    expect(JSON.stringify(rows)).not.toContain('203.0.113')
  })

  test('reads the documentation without limit', async () => {
    for (const url of ['/openapi.json', '/docs/', '/docs/static/index.css']) {
      const answers = await times(15, () => from(address, url))
      expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 15 })
      nobodyCounted(answers[0]!.headers)
    }
  })
})

describe('a caller with a proof of ours', () => {
  const token = (keyring = api.deps.keyring) =>
    signUnsubscribe(keyring, {
      organizationId: api.alice.organizationId,
      contactId: uuidv7(),
      addressHash: addressHash(api.alice.organizationId, 'ada@example.com'),
    })
  const exhaust = async () => {
    await times(10, () => from(address, '/health'))
    expect((await from(address, '/health')).status).toBe(429)
  }

  test('unsubscribes from an address that has nothing left, sixty times a minute', async () => {
    await exhaust()
    const own = token()
    const answers = await times(62, () => from(address, `/unsubscribe/${own}`, {}, ''))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 60, 429: 2 })
    expect(answers[0]?.headers['ratelimit-policy']).toBe('60;w=60')
    expect((await from(address, `/unsubscribe/${token()}`, {}, '')).status).toBe(200)
  })

  test('to a browser a refusal is a page, to a program it is not', async () => {
    const url = `/unsubscribe/${token()}`
    await times(60, () => from(address, url, {}, ''))
    const page = await from(address, url, { accept: 'text/html,*/*;q=0.8' })
    expect(page.status).toBe(429)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('<h1>Too many requests</h1>')
    expect(page.text).toContain(`try again in ${String(page.headers['retry-after'])} seconds`)
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(limits(page.headers)).toMatchObject({ 'ratelimit-remaining': '0' })
    const program = await from(address, url, { accept: 'application/json' })
    expect([program.status, program.body.code]).toEqual([429, 'RATE_LIMITED'])
    // What is no page stays what it is.
    await exhaust()
    const health = await from(address, '/health', { accept: 'text/html' })
    expect([health.status, health.body.code]).toEqual([429, 'RATE_LIMITED'])
  })

  test('and many people from one address are not counted for it', async () => {
    const answers = await times(30, () => from(address, `/unsubscribe/${token()}`, {}, ''))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 30 })
    expect((await from(address, '/health')).headers['ratelimit-remaining']).toBe('9')
  })

  test('a forged token counts for the address', async () => {
    const forged = () => token(parseKeyring(newKeyringText()))
    const answers = await times(12, () => from(address, `/unsubscribe/${forged()}`, {}, ''))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 400: 10, 429: 2 })
  })

  test('an account’s events pass from an address that has nothing left; guesses never reach storage', async () => {
    const { webhookSecret, connectionId } = await connectAccount(api.alice, { accountId })
    await wasVerified(api.sql, connectionId)
    const deliver = (secret: string) =>
      from(
        address,
        `/webhooks/ses/${accountId}`,
        { 'x-webhook-secret': secret, 'content-type': 'application/json' },
        JSON.stringify({
          id: uuidv7(),
          'detail-type': 'Email Delivered',
          source: 'aws.ses',
          account: accountId,
          time: '2026-11-21T10:00:00Z',
          region: 'eu-central-1',
          detail: {
            eventType: 'Delivery',
            mail: {
              messageId: 'm',
              timestamp: '2026-11-21T10:00:00Z',
              destination: ['ada@example.com'],
            },
          },
        }),
      )
    const guesses = await times(12, () => deliver('x'.repeat(65)))
    expect(tally(guesses.map(({ status }) => status))).toEqual({ 401: 10, 429: 2 })
    asked = []
    expect((await deliver('x'.repeat(65))).status).toBe(429)
    expect(asked).toEqual([])
    const events = await times(40, () => deliver(webhookSecret))
    expect(tally(events.map(({ body }) => body.status))).toEqual({ processed: 40 })
    nobodyCounted(events[0]!.headers)
  })

  test('a secret of ours that is good no more counts for the address', async () => {
    const never = newWebhookSecret(api.deps.keyring, accountId)
    const deliver = () =>
      from(address, `/webhooks/ses/${accountId}`, { 'x-webhook-secret': never }, '{}')
    const answers = await times(12, deliver)
    expect(tally(answers.map(({ status }) => status))).toEqual({ 401: 10, 429: 2 })
    // Then the remembered ones are asked, not storage.
    asked = []
    const refused = await times(20, deliver)
    expect(tally(refused.map(({ status }) => status))).toEqual({ 429: 20 })
    expect(asked.filter((query) => query.includes('webhook_proofs')).length).toBeLessThan(2)
  })
})

describe('failed credentials', () => {
  const guess = (who = address) =>
    from(who, '/v1/contacts', { authorization: `Bearer ${newApiKey().key}` })

  test('thirty in a minute, then 429, for this address only', async () => {
    const answers = await times(33, () => guess())
    expect(tally(answers.map(({ status }) => status))).toEqual({ 401: 30, 429: 3 })
    const left = answers.map(({ headers }) => Number(headers['ratelimit-remaining']))
    expect(left.sort((a, b) => b - a)).toEqual([...Array(30).keys()].toReversed().concat(0, 0, 0))
    const refused = await guess()
    expect([refused.status, limits(refused.headers)]).toMatchObject([
      429,
      { 'ratelimit-limit': '30', 'ratelimit-remaining': '0', 'ratelimit-policy': '30;w=60' },
    ])
    expect(refused.headers['retry-after']).toBe(refused.headers['ratelimit-reset'])
    expect((await guess('198.51.100.2')).status).toBe(401)
  })

  test('when an address has none left, a good key and a session still pass from it', async () => {
    const key = await api.client(api.alice.organizationId, ['full'])
    const person = await signIn(api.app, api.sql, api.alice.organizationId, 'viewer')
    await times(31, () => guess())
    expect((await guess()).status).toBe(429)
    for (const token of [key.key, person.token]) {
      const { status } = await from(address, '/v1/contacts', { authorization: `Bearer ${token}` })
      expect(status).toBe(200)
    }
  })

  test('and a guess costs storage one look-up of a hash, or none without our checksum', async () => {
    await times(31, () => guess())
    asked = []
    expect((await guess()).status).toBe(429)
    expect(asked).toEqual([expect.stringContaining('from live_api_key(')])
    asked = []
    for (const authorization of [`Bearer loom_${'x'.repeat(49)}`, 'Bearer x', 'Basic x', '']) {
      expect((await from(address, '/v1/contacts', { authorization })).status).toBe(429)
    }
    expect(asked).toEqual([])
  })

  test('good ones are never counted', async () => {
    const answers = await times(40, () =>
      from(address, '/v1/contacts', { authorization: `Bearer ${api.alice.key}` }),
    )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 40 })
    expect((await guess()).status).toBe(401)
  })
})

describe('without the store of the limits', () => {
  test('passwords and keys are still not guessed at will, and organizations are let through', async () => {
    const limiter = createLimiter({
      open: () => connect('postgres://nobody@127.0.0.1:1/none', { name: 'limiter' }),
      log: { error: () => {} },
    })
    const app = await buildApp({ ...api.deps, limiter })
    const attempt = () => logIn(app, { email: 'ada@example.com', password: 'a guess', address })
    expect(tally((await times(8, attempt)).map(({ status }) => status))).toEqual({ 401: 5, 429: 3 })
    const guess = () => {
      const headers = { authorization: `Bearer ${newApiKey().key}` }
      return inject(app, { url: '/v1/contacts', remoteAddress: address, headers })
    }
    expect(tally((await times(33, guess)).map(({ status }) => status))).toEqual({ 401: 30, 429: 3 })
    const headers = { authorization: `Bearer ${api.alice.key}` }
    const good = await inject(app, { url: '/v1/organization', headers })
    expect(good.status).toBe(200)
    await app.close()
    await limiter.close()
  })
})
