import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from '../../api/app.ts'
import type { Limiter } from '../../api/limits/limiter.ts'
import { createMetrics } from '../../api/http/metrics.ts'
import { LIMITS } from '../../src/domain/access/plan.ts'
import { addOperatorCommands } from '../../src/main/commands/operator-commands.ts'
import { processRenderer } from '../../src/mail/renderer.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { inject } from '../support/api.ts'
import { commandLine } from '../support/command-line.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startLimiter } from '../support/limiter.ts'
import { logIn } from '../support/people.ts'
import { offlineFetcher, offlineToolbox } from '../support/toolbox.ts'
import { connectAs } from '../support/logins.ts'
import { loginUrl } from '../../src/store/db/logins.ts'

const CLI = new URL('../../dist/src/main/cli.js', import.meta.url).pathname
const EMAIL = 'alice@example.com'
const PASSWORD = 'the first password'

/** What links are made of, as the API has it. */
const LINKS = {
  LETTERLOOM_KEYS: newKeyringText(),
  LETTERLOOM_MODE: 'development',
  PUBLIC_URL: 'https://mail.example.com',
}

let database: TestDatabase
let apiSql: Sql
let limiter: Limiter
let app: Awaited<ReturnType<typeof buildApp>>
let organizationId: string
beforeAll(async () => {
  database = await createDatabase()
  apiSql = connectAs(database.url, { name: 'test-api', role: 'letterloom_api' })
  limiter = startLimiter(database.url)
  app = await buildApp({
    sql: apiSql,
    searchSql: apiSql,
    keyring: parseKeyring(LINKS.LETTERLOOM_KEYS),
    publicUrl: 'https://mail.example.com',
    principalArn: undefined,
    sendsNotices: false,
    version: '1.0.0',
    log: { level: 'silent' },
    now: Date.now,
    metrics: createMetrics(),
    trustedProxies: [],
    corsOrigins: [],
    renderer: processRenderer(),
    toolbox: offlineToolbox(),
    fetcher: offlineFetcher,
    limiter,
    asker: { ask: async () => {} },
    receiving: { refused: () => {} },
    allowsHttpHooks: false,
    console: undefined,
    mostLoopDelayMs: Number.POSITIVE_INFINITY,
    pause: async () => {},
  })
  const { stdout } = await run([
    'org',
    'create',
    '--name',
    'Alice Ltd',
    '--owner-email',
    EMAIL,
    '--json',
  ])
  organizationId = JSON.parse(stdout).organization
})
afterAll(async () => {
  await app.close()
  await limiter.close()
  await apiSql.end()
  await database.drop()
})

const inThisProcess = commandLine(addOperatorCommands)
const run = (args: string[], input = '', env: Record<string, string> = {}) =>
  inThisProcess(args, {
    input,
    env: { DATABASE_URL: loginUrl(database.url, 'letterloom_worker'), ...env },
  })

/** By the compiled program. */
async function runProgram(args: string[], input: string) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, DATABASE_URL: loginUrl(database.url, 'letterloom_worker') },
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.stdin.end(input)
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}

const json = async (args: string[], input?: string, env?: Record<string, string>) => {
  const { code, stdout, stderr } = await run([...args, '--json'], input, env)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const statusOf = async (token: string) =>
  (await inject(app, { url: '/v1/organization', headers: { authorization: `Bearer ${token}` } }))
    .status

describe('users', () => {
  it('the owner gets a password from standard input, and logs in with it', async () => {
    expect((await logIn(app, { email: EMAIL, password: PASSWORD })).status).toBe(401)
    const args = ['user', 'set-password', ' Alice@example.com ']
    const set = await runProgram(args, `${PASSWORD}\n`)
    expect(set.code).toBe(0)
    expect(set.stdout + set.stderr).not.toContain(PASSWORD)
    const { status, body } = await logIn(app, { email: EMAIL, password: PASSWORD })
    expect(status).toBe(200)
    expect(body.organizations).toEqual([{ id: organizationId, name: 'Alice Ltd', role: 'owner' }])
  })

  it('another password ends the sessions, and is noted in no organization', async () => {
    const { body } = await logIn(app, { email: EMAIL, password: PASSWORD })
    expect(await statusOf(body.token)).toBe(200)
    await json(['user', 'set-password', EMAIL], PASSWORD)
    const [row] = await database.sql`
      select count(*) as live from sessions where revoked_at is null`
    expect(row).toEqual({ live: 0 })
    const noted = await database.sql`
      select from audit_events where action = 'password.changed'`
    expect(noted).toEqual([])
    const { stdout } = await run(['user', 'list', '--json'])
    expect(JSON.parse(stdout)[0].passwordChangedAt).not.toBeNull()
  })

  it('a new one is made once, and joins an organization', async () => {
    const args = ['user', 'create', '--email', 'Bob@example.com', '--name', 'Bob']
    const bob = await json(args, `${PASSWORD}\n`)
    expect(bob).toMatchObject({ email: 'bob@example.com', name: 'Bob' })
    const again = await run(args, `${PASSWORD}\n`)
    expect([again.code, again.stderr]).toEqual([1, 'A user with this address already exists\n'])
    await json(['user', 'add-to-org', 'bob@example.com', organizationId, '--role', 'viewer'])
    const { body } = await logIn(app, { email: 'bob@example.com', password: PASSWORD })
    expect(body.organizations[0].role).toBe('viewer')
    const listed = await json(['user', 'list'])
    expect(listed.map(({ email }: { email: string }) => email)).toEqual([EMAIL, 'bob@example.com'])
    expect(JSON.stringify(listed)).not.toContain('argon2')
  })

  it('an invitation is a link, without any mail, and the older link stops working', async () => {
    const args = ['user', 'invite', 'Kim@example.com', organizationId, '--role', 'admin']
    const without = await run(args)
    expect([without.code, without.stderr.includes('LETTERLOOM_KEYS')]).toEqual([1, true])
    const older = await json(args, '', LINKS)
    const { link, role } = await json(args, '', LINKS)
    expect([role, new URL(link).origin]).toEqual(['admin', LINKS.PUBLIC_URL])
    const accept = async (url: string) =>
      (
        await inject(app, {
          method: 'POST',
          url: new URL(url).pathname,
          payload: { password: PASSWORD },
        })
      ).status
    expect(await accept(older.link)).toBe(410)
    expect(await accept(link)).toBe(200)
    const { body } = await logIn(app, { email: 'kim@example.com', password: PASSWORD })
    expect(body.organizations).toMatchObject([{ id: organizationId, role: 'admin' }])
    const again = await run(args, '', LINKS)
    expect([again.code, again.stderr.includes('already a member')]).toEqual([1, true])
    expect(await database.sql`select from notices`).toEqual([])
  })

  it.each([
    ['', 'A password has 12 to 256 characters'],
    ['too short\n', 'A password has 12 to 256 characters'],
  ])('the password %j is refused and changes nothing', async (input, words) => {
    const { code, stderr } = await run(['user', 'set-password', EMAIL], input)
    expect(code).toBe(1)
    expect(stderr).toContain(words)
    expect((await logIn(app, { email: EMAIL, password: PASSWORD })).status).toBe(200)
  })

  it('who is given the role they have stays logged in, and nothing is noted', async () => {
    const { body } = await logIn(app, { email: EMAIL, password: PASSWORD })
    const events = () => database.sql`
      select action from audit_events where action like 'member.%' order by id`
    const before = await events()
    await json(['user', 'add-to-org', EMAIL, organizationId, '--role', 'owner'])
    await sleep(1_000)
    expect(await statusOf(body.token)).toBe(200)
    expect(await events()).toEqual(before)
  })

  it('another role is recorded with the old one, and with the invitations that fall with it', async () => {
    const there = ['--email', 'ida@example.com', '--name', 'Ida']
    const { id } = await json(['user', 'create', ...there], `${PASSWORD}\n`)
    const give = (role: string) =>
      json(['user', 'add-to-org', 'ida@example.com', organizationId, '--role', role])
    await give('admin')
    const [invitation] = await database.sql`
      insert into invitations (organization_id, id, email, role, invited_by, created_at,
        expires_at)
      values (${organizationId}, gen_random_uuid(), 'x@example.com', 'member', ${id}, now(),
        now() + interval '1 day')
      returning id`
    await give('viewer')
    const noted = await database.sql`
      select actor_kind, action, subject_id, detail
      from audit_events
      where organization_id = ${organizationId} and subject_id in (${id}, ${invitation?.['id']})
        and actor_kind = 'operator'
      order by id`
    expect(noted).toEqual([
      { actorKind: 'operator', action: 'member.added', subjectId: id, detail: { role: 'admin' } },
      {
        actorKind: 'operator',
        action: 'member.role_changed',
        subjectId: id,
        detail: { from: 'admin', to: 'viewer' },
      },
      {
        actorKind: 'operator',
        action: 'invitation.revoked',
        subjectId: invitation?.['id'],
        detail: {},
      },
    ])
  })

  it('the last owner stays one', async () => {
    const args = ['user', 'add-to-org', EMAIL, organizationId, '--role', 'member']
    const { code, stderr } = await run(args)
    expect([code, stderr]).toEqual([
      1,
      'The last owner cannot be removed or changed. Make another member an owner first.\n',
    ])
  })
})

describe('organizations', () => {
  it('are made with their owner and a key, all of it noted as the operator’s', async () => {
    const args = ['org', 'create', '--name', 'Noted', '--owner-email', 'n@example.com']
    const { organization } = await json(args)
    const noted = await database.sql`
      select e.actor_kind, e.action, e.detail,
        coalesce((select email from users where id::text = e.subject_id),
          (select name from api_keys where id::text = e.subject_id)) as subject
      from audit_events e
      where organization_id = ${organization}
      order by id`
    expect(noted).toEqual([
      {
        actorKind: 'operator',
        action: 'member.added',
        detail: { role: 'owner' },
        subject: 'n@example.com',
      },
      {
        actorKind: 'operator',
        action: 'api_key.created',
        detail: { scopes: ['full'] },
        subject: 'First key',
      },
    ])
  })

  it('are listed, shown and given a plan', async () => {
    const shown = await json(['org', 'set-plan', organizationId, 'growth'])
    expect(shown).toMatchObject({ id: organizationId, name: 'Alice Ltd', plan: 'growth' })
    expect(await json(['org', 'show', organizationId])).toEqual(shown)
    const { limits: _limits, ownLimits: _own, ...listed } = shown
    expect((await json(['org', 'list']))[0]).toEqual(listed)
    const { stdout } = await run(['org', 'list'])
    expect(stdout).toMatch(/^id +name +plan.*\n\S+ +Alice Ltd +growth /)
  })
})

it('a restore of Postgres that workers cannot notice is noted', async () => {
  const { restored } = await json(['restored'])
  const [row] = await database.sql`select restored_at from ledger_beats`
  expect(row).toEqual({ restoredAt: restored })
})

describe('an organization’s own figures', () => {
  it('go before its plan’s until they are reset, and are noted', async () => {
    const { limits, ownLimits } = await json(['org', 'show', organizationId])
    expect([limits.requestsPerMinute, limits.connections, ownLimits]).toEqual([2000, null, []])
    await json(['org', 'set-limit', organizationId, 'connections', '7'])
    const args = ['org', 'set-limit', organizationId, 'requestsPerMinute']
    const both = await json([...args, '3000'])
    expect(both.limits).toEqual({ ...limits, requestsPerMinute: 3000, connections: 7 })
    expect(both.ownLimits).toEqual(['requestsPerMinute', 'connections'])
    const { stdout } = await run(['org', 'show', organizationId])
    expect(stdout).toMatch(
      /^limits +requestsPerMinute=3000 .*connections=7 workflows=- storedBytes=107374182400$/m,
    )
    expect(stdout).toMatch(/^ownLimits +requestsPerMinute,connections$/m)

    const back = await json([...args, 'default'])
    expect(back.limits).toEqual({ ...limits, connections: 7 })
    const noted = await database.sql`
      select actor_kind, subject_id, detail
      from audit_events
      where action = 'organization.limit_changed' and organization_id = ${organizationId}
      order by id`
    expect(noted).toEqual(
      [
        { limit: 'connections', value: 7 },
        { limit: 'requestsPerMinute', value: 3000 },
        { limit: 'requestsPerMinute', value: null },
      ].map((detail) => ({ actorKind: 'operator', subjectId: organizationId, detail })),
    )
  })

  it('are named by --help; others and what is not a number change nothing', async () => {
    const { stdout } = await run(['org', 'set-limit', '--help'])
    for (const name of LIMITS) expect(stdout).toContain(name)
    const before = await json(['org', 'show', organizationId])
    for (const value of ['0', '-1', '1.5', '2147483648', 'none', '']) {
      const { code, stderr } = await run(['org', 'set-limit', organizationId, 'workflows', value])
      expect([value, code]).toEqual([value, 1])
      expect(stderr).toMatch(
        /from 1, or default|must be 1 to 2147483647, or default|unknown option/,
      )
    }
    const { code } = await run(['org', 'set-limit', organizationId, 'members', '5'])
    expect(code).toBe(1)
    expect(await json(['org', 'show', organizationId])).toEqual(before)
  })
})

describe('keys', () => {
  it('are made, listed without themselves, and revoked', async () => {
    const args = ['key', 'create', '--org', organizationId, '--name', 'CI', '--scopes', 'read,send']
    const { id, key, scopes } = await json(args)
    expect(scopes).toEqual(['read', 'send'])
    expect(await statusOf(key)).toBe(200)
    const listed = await json(['key', 'list', '--org', organizationId])
    expect(listed[0]).toMatchObject({ id, name: 'CI', revokedAt: null })
    expect(JSON.stringify(listed)).not.toContain(key)
    expect(await json(['key', 'revoke', id, '--org', organizationId])).toMatchObject({
      wasLive: true,
    })
    await sleep(1_000)
    expect(await statusOf(key)).toBe(401)
    const foreign = await run(['key', 'revoke', 'nonsense', '--org', organizationId])
    expect(foreign.stderr).toBe('API key not found\n')
  })
})

describe('an error is a sentence', () => {
  const nobody = '00000000-0000-7000-8000-000000000000'
  it.each([
    [['org', 'show', nobody], `There is no organization ${nobody}`],
    [['org', 'set-limit', nobody, 'workflows', '5'], `There is no organization ${nobody}`],
    [['org', 'show', 'nonsense'], 'There is no organization nonsense'],
    [['user', 'set-password', 'x@example.com'], 'There is no user with this address'],
    [['key', 'list', '--org', nobody], `There is no organization ${nobody}`],
    [['key', 'create', '--org', nobody, '--name', 'x', '--scopes', 'all'], 'Scopes are read'],
    [['user', 'add-to-org', EMAIL, nobody, '--role', 'king'], 'Allowed choices are viewer'],
  ])('%j', async (args, words) => {
    const { code, stderr, stdout } = await run(args, `${PASSWORD}\n`)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(words)
    expect(stderr).not.toContain(' at ')
  })

  const bad = 'bad address'
  const org = ['org', 'create', '--owner-email', 'z@example.com', '--name', 'Z']
  it.each([
    [['user', 'create', '--name', 'Z', '--email', bad], 'This is not an email address'],
    [
      ['user', 'create', '--name', 'Z', '--email', `z@${'x.'.repeat(127)}io`],
      'This is not an email',
    ],
    [['user', 'create', '--email', 'z@example.com', '--name', ''], '1 to 200 characters'],
    [[...org, '--owner-email', bad], 'This is not an email address'],
    [[...org, '--owner-name', 'x'.repeat(201)], '1 to 200 characters'],
    [[...org, '--name', ''], '1 to 200 characters'],
    [[...org, '--name', 'two\nlines'], '1 to 200 characters'],
    [['key', 'create', '--org', nobody, '--name', ''], '1 to 200 characters'],
  ])('%j makes nothing', async (args, words) => {
    const count = () => database.sql`
      select (select count(*) from users) as users, (select count(*) from organizations) as organizations`
    const before = await count()
    const { code, stderr, stdout } = await run(args, `${PASSWORD}\n`)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(words)
    expect(await count()).toEqual(before)
  })

  it('a plan that does not exist changes nothing', async () => {
    const { code, stderr } = await run(['org', 'set-plan', organizationId, 'gold'])
    expect([code, stderr]).toEqual([
      1,
      '"gold" is not one of free, starter, growth, scale, enterprise\n',
    ])
  })

  it.each(['org', 'user', 'key'])('%s --help lists its commands', async (name) => {
    const { code, stdout } = await run([name, '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ +create .*\w{4}/m)
    expect(stdout).toMatch(/^ +list .*\w{4}/m)
  })
})
