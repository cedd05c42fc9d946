import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { deleteOldFailures } from '../../src/store/access/login-failures.ts'
import { addressSubject, sha256 } from '../../src/keys/tokens.ts'
import { type Answer, type Api, inject, startApi, tally } from '../support/api.ts'
import { addMember, addPerson, join, logIn, PASSWORD, someAddress } from '../support/people.ts'

const DAY_MS = 86_400_000

let api: Api
/** How much later it is for the API. */
let passedMs = 0
const pauses: number[] = []
beforeAll(async () => {
  api = await startApi({
    now: () => Date.now() + passedMs,
    pause: async (ms) => void pauses.push(ms),
  })
})
beforeEach(() => {
  pauses.length = 0
})
afterAll(() => api.close())

const wrong = (email: string, address = someAddress()) =>
  logIn(api.app, { email, password: 'this is not it', address })

describe('logging in', () => {
  test('answers a token, its end, the person and their organizations', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'owner')
    await join(api.sql, api.charlie.organizationId, person, 'viewer')
    const email = ` ${person.email.toUpperCase()} `
    const asked = Date.now()
    const { status, body, headers } = await logIn(api.app, { email })
    expect(status).toBe(200)
    const begunAt = Date.parse(body.expiresAt) - 60 * DAY_MS
    expect(begunAt).toBeGreaterThanOrEqual(asked)
    expect(begunAt).toBeLessThanOrEqual(Date.now())
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['set-cookie']).toBeUndefined()
    expect(body).toEqual({
      token: expect.stringMatching(/^loomses_[0-9A-Za-z]{49}$/),
      expiresAt: new Date(begunAt + 60 * DAY_MS).toISOString(),
      organizationId: api.alice.organizationId,
      user: { id: person.id, email: person.email, name: 'Somebody' },
      organizations: [
        { id: api.alice.organizationId, name: 'A', role: 'owner' },
        { id: api.charlie.organizationId, name: 'B', role: 'viewer' },
      ],
    })
    const noted = await api.sql`
      select organization_id, actor_kind, action from audit_events where actor_id = ${person.id}`
    expect(noted).toEqual([
      {
        organizationId: api.alice.organizationId,
        actorKind: 'user',
        action: 'login.succeeded',
      },
    ])
  })

  test('goes to the organization that is named, and to no other one', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'member')
    for (const organizationId of [api.charlie.organizationId, uuidv7()]) {
      const { status, body } = await logIn(api.app, { email: person.email, organizationId })
      expect(status).toBe(403)
      expect(body.reason).toBe('not_a_member')
    }
    await join(api.sql, api.charlie.organizationId, person, 'member')
    const organizationId = api.charlie.organizationId
    const { body } = await logIn(api.app, { email: person.email, organizationId })
    expect(body.organizationId).toBe(organizationId)
  })

  test('is refused to a person who is nobody’s member, without a session', async () => {
    const person = await addPerson(api.sql)
    expect((await logIn(api.app, { email: person.email })).status).toBe(403)
    expect(await api.sql`select from sessions where user_id = ${person.id}`).toHaveLength(0)
  })

  test('a wrong password, an unknown address and no password yet get the same bytes', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'owner')
    const newcomer = await addMember(api.sql, api.alice.organizationId, 'member')
    await api.sql`update users set password_hash = null where id = ${newcomer.id}`
    const answers = [
      await wrong(person.email),
      await wrong('nobody@example.com'),
      await logIn(api.app, { email: newcomer.email, password: PASSWORD }),
    ]
    const shown = answers.map(({ status, text, headers }) => {
      const id = String(headers['x-request-id'])
      return [status, text.replace(id, ''), headers['www-authenticate'], headers['content-length']]
    })
    expect(shown[0]?.[0]).toBe(401)
    expect(shown[1]).toEqual(shown[0])
    expect(shown[2]).toEqual(shown[0])
  })

  test('a failure is counted, and noted in no organization of the person’s', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'owner')
    await join(api.sql, api.charlie.organizationId, person, 'viewer')
    for (const { organizationId } of [api.alice, api.charlie]) {
      expect((await logIn(api.app, { email: person.email, organizationId })).status).toBe(200)
    }
    await wrong(person.email, '192.0.2.77')
    const noted = await api.sql<{ action: string }[]>`
      select action from audit_events where ${person.id} in (subject_id, actor_id::text)`
    expect(tally(noted.map(({ action }) => action))).toEqual({ 'login.succeeded': 2 })
    const [counted] = await api.sql<{ failures: number }[]>`
      select failures from login_failures order by last_failed_at desc limit 1`
    expect(counted?.failures).toBe(1)
  })

  test('no table holds a token or a password as it was', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'owner')
    const { body } = await logIn(api.app, { email: person.email })
    const tables = await api.sql<{ name: string }[]>`
      select c.relname as name
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`
    expect(tables.length).toBeGreaterThan(20)
    for (const { name } of tables) {
      const rows = await api.admin<{ text: string }[]>`
        select row_to_json(t)::text as text from ${api.sql(name)} t`
      for (const { text } of rows) {
        expect(text).not.toContain(body.token)
        expect(text).not.toContain(PASSWORD)
      }
    }
  })

  test.each([
    [{}, 'email'],
    [{ email: 'x@example.com' }, 'password'],
    [{ email: 'nothing', password: PASSWORD }, 'email'],
    [{ email: 'x@example.com', password: 'x'.repeat(257) }, 'password'],
    [{ email: 'x@example.com', password: PASSWORD, remember: true }, 'remember'],
  ])('%j is a 422 that names %s', async (payload, path) => {
    const { statusCode, body } = await api.app.inject({
      method: 'POST',
      url: '/auth/login',
      payload,
    })
    expect(statusCode).toBe(422)
    expect(JSON.parse(body).details[0].path).toBe(path)
  })
})

describe('somebody who guesses', () => {
  test('has five tries of an account from one address, the right password among them', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'owner')
    const address = someAddress()
    for (let n = 1; n <= 5; n++) expect((await wrong(person.email, address)).status).toBe(401)
    const { status, body, headers } = await logIn(api.app, { email: person.email, address })
    expect([status, body.code, body.reason]).toEqual([429, 'RATE_LIMITED', 'too_many_logins'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    // From elsewhere nothing is locked.
    expect((await logIn(api.app, { email: person.email })).status).toBe(200)
  })

  test('has twenty tries from one address, whatever the accounts', async () => {
    const address = someAddress()
    for (let n = 1; n <= 20; n++) {
      expect((await wrong(`somebody-${n}@example.com`, address)).status).toBe(401)
    }
    expect((await wrong('somebody-21@example.com', address)).status).toBe(429)
  })

  test('is told of the limit that is nearest, of the account or of the address', async () => {
    const address = someAddress()
    const person = await addMember(api.sql, api.alice.organizationId, 'owner')
    const told = ({ headers }: Answer) => [
      headers['ratelimit-policy'],
      headers['ratelimit-remaining'],
    ]
    expect(told(await logIn(api.app, { email: person.email, address }))).toEqual(['5;w=900', '4'])
    for (let n = 2; n <= 16; n++) await wrong(`known-${n}@example.com`, address)
    expect(told(await wrong('one-more@example.com', address))).toEqual(['20;w=900', '3'])
    for (let n = 18; n <= 20; n++) await wrong(`known-${n}@example.com`, address)
    const refused = await wrong('last@example.com', address)
    expect([refused.status, refused.body.reason, ...told(refused)]).toEqual([
      429,
      'too_many_logins',
      '20;w=900',
      '0',
    ])
    expect(refused.headers['retry-after']).toBe(refused.headers['ratelimit-reset'])
  })

  test('is counted whatever was sent, and refused before the body is looked at', async () => {
    const remoteAddress = someAddress()
    const send = () =>
      inject(api.app, { method: 'POST', url: '/auth/login', remoteAddress, payload: {} })
    const answers = await Promise.all(Array.from({ length: 25 }, send))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 422: 20, 429: 5 })
  })

  test('waits longer with every failure, known or not, and a stranger can lock nobody out', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'owner')
    const delaysOf = async (email: string) => {
      pauses.length = 0
      for (let n = 0; n < 12; n++) await wrong(email)
      return [...pauses]
    }
    const delays = await delaysOf(person.email)
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000, 8000])
    expect(await delaysOf('unknown@example.com')).toEqual(delays)
    pauses.length = 0
    expect((await logIn(api.app, { email: person.email })).status).toBe(200)
    expect(pauses).toEqual([8000])
    // A login that succeeds starts the count anew.
    pauses.length = 0
    await wrong(person.email)
    expect(pauses).toEqual([])
  })

  test('is remembered by a hash that only we can make, until a day after the last try', async () => {
    const email = `${uuidv7()}@example.com`
    await wrong(email)
    const account = sha256(addressSubject(api.deps.keyring, email))
    const known = () => api.sql`select from login_failures where account = ${account}`
    const plain = await api.sql`select from login_failures where account = ${sha256(email)}`
    expect([(await known()).length, plain.length]).toEqual([1, 0])
    const age = (text: string) => api.admin`
      update login_failures set last_failed_at = now() - ${text}::interval where account = ${account}`
    const clean = () =>
      api.sql.begin(async (tx) => {
        await tx`set local role letterloom_worker`
        return deleteOldFailures(tx)
      })
    await age('23 hours 59 minutes')
    await clean()
    expect(await known()).toHaveLength(1)
    await age('24 hours 1 second')
    expect(await clean()).toBe(1)
    expect(await known()).toHaveLength(0)
  })

  test('is forgotten after a quarter of an hour', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'owner')
    for (let n = 0; n < 4; n++) await wrong(person.email)
    expect(pauses).toEqual([250])
    passedMs += 15 * 60_000
    await wrong(person.email)
    expect(pauses).toEqual([250])
  })
})

test('a password that is changed while it is looked at opens no session', async () => {
  const person = await addMember(api.sql, api.alice.organizationId, 'owner')
  const changing = api.sql.begin(async (tx) => {
    await tx`update users set password_hash = '$argon2id$another' where id = ${person.id}`
    const login = logIn(api.app, { email: person.email })
    // It verifies against the old hash, then waits for this transaction.
    for (;;) {
      const waiting = await api.admin`
        select from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%open_session%'
          and datname = current_database()`
      if (waiting.length > 0) break
    }
    return { login }
  })
  const { login } = await changing
  expect((await login).status).toBe(401)
  expect(await api.sql`select from sessions where user_id = ${person.id}`).toHaveLength(0)
})
