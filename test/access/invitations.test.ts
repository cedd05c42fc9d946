import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../../api/app.ts'
import { ROLES } from '../../src/domain/access/access.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { invitationUrl } from '../../src/keys/invitation-links.ts'
import * as invitations from '../../src/store/access/invitations.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { addressHash, signLink } from '../../src/keys/tokens.ts'
import { type Answer, type Api, inject, startApi, tally } from '../support/api.ts'
import {
  addMember,
  addPerson,
  join,
  logIn,
  PASSWORD,
  sessionOf,
  type SignedIn,
  signIn,
} from '../support/people.ts'

const DAY_MS = 86_400_000
const OTHER = 'another password'
const HTML = 'text/html,application/xhtml+xml'

let api: Api
/** How much later it is for the API. */
let passedMs = 0
beforeAll(async () => {
  api = await startApi({ now: () => Date.now() + passedMs })
})
afterAll(() => api.close())

/** An organization of its own with one owner who has logged in. */
async function company(name = 'Company'): Promise<SignedIn> {
  const organizationId = uuidv7()
  await organizations.create(api.sql, { id: organizationId, name })
  return signIn(api.app, api.sql, organizationId, 'owner')
}

const somebody = () => `${uuidv7()}@example.com`

/** The address of the newest link of an invitation, as it is mailed. */
async function pathOf(id: Uuid): Promise<string> {
  const [row] = await api.sql<
    {
      organizationId: Uuid
      id: Uuid
      email: string
      generation: number
      expiresAt: string
    }[]
  >`select organization_id, id, email, generation, expires_at from invitations where id = ${id}`
  if (!row) throw new Error('no such invitation')
  return new URL(invitationUrl(api.deps.keyring, 'https://mail.example.com', row)).pathname
}

async function invited(boss: SignedIn, email = somebody(), role = 'member') {
  const { status, body, text } = await boss.send('POST', '/v1/members', { email, role })
  if (status !== 202) throw new Error(text)
  return { id: body.id as Uuid, email, path: await pathOf(body.id) }
}

const open = (path: string, accept = HTML): Promise<Answer> =>
  inject(api.app, { url: path, headers: { accept } })

const accept = (path: string, input: object = { password: PASSWORD }): Promise<Answer> =>
  inject(api.app, { method: 'POST', url: path, payload: input })

const membersOf = async ({ organizationId }: { organizationId: Uuid }) =>
  api.sql<{ email: string; role: string }[]>`
    select u.email, m.role from memberships m join users u on u.id = m.user_id
    where m.organization_id = ${organizationId} order by m.created_at, u.id`

const isMember = async (where: SignedIn, email: string): Promise<boolean> =>
  (await membersOf(where)).some((member) => member.email === email)

/** The actions that an organization noted about something, oldest first. */
const noted = async ({ organizationId }: { organizationId: Uuid }, subjectId: Uuid) =>
  (
    await api.sql<{ action: string }[]>`
      select action from audit_events
      where organization_id = ${organizationId} and subject_id = ${subjectId} order by id`
  ).map(({ action }) => action)

describe('inviting', () => {
  test('an address with an account, one without a password and a new one answer the same', async () => {
    const boss = await company()
    const known = await addMember(api.sql, api.charlie.organizationId, 'owner')
    const bare = await addPerson(api.sql)
    await api.sql`update users set password_hash = null where id = ${bare.id}`
    const users = async () => (await api.sql`select from users`).length
    const before = await users()
    const answers = []
    for (const email of [known.email, bare.email, somebody()]) {
      const input = { email, role: 'viewer', name: 'Bob' }
      const { status, headers, body } = await boss.send('POST', '/v1/members', input)
      const { id, email: told, createdAt, expiresAt, ...rest } = body
      expect([told, await noted(boss, id)]).toEqual([email, ['invitation.created']])
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(7 * DAY_MS)
      answers.push({ status, names: Object.keys(headers).sort(), keys: Object.keys(body), rest })
    }
    expect(answers[0]).toMatchObject({
      status: 202,
      rest: { role: 'viewer', name: 'Bob', invitedBy: boss.id },
    })
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    expect(await users()).toBe(before)
    const { body } = await boss.send('GET', '/v1/members')
    expect(body.data.map(({ id }: { id: Uuid }) => id)).toEqual([boss.id])
    expect((await boss.send('GET', '/v1/invitations')).body.data).toHaveLength(3)
  })

  test('the database is asked the same of an address that has an account and one that has none', async () => {
    const statements: string[] = []
    const watched = await startApi({}, { onQuery: (query) => void statements.push(query) })
    try {
      const boss = await signIn(watched.app, watched.sql, watched.alice.organizationId, 'owner')
      const known = await addMember(watched.sql, watched.charlie.organizationId, 'owner')
      const asked = async (email: string) => {
        statements.length = 0
        await boss.send('POST', '/v1/members', { email, role: 'viewer' })
        return statements.filter((query) => !/last_seen_at|rate_limits/.test(query))
      }
      await asked(somebody())
      const ofKnown = await asked(known.email)
      expect(ofKnown.length).toBeGreaterThan(3)
      expect(await asked(somebody())).toEqual(ofKnown)
    } finally {
      await watched.close()
    }
  })

  test('a member and an address that is invited already are 409, however it is written', async () => {
    const boss = await company()
    const bob = await addMember(api.sql, boss.organizationId, 'viewer')
    const again = (email: string) => boss.send('POST', '/v1/members', { email, role: 'viewer' })
    expect((await again(bob.email.toUpperCase())).body.reason).toBe('already_member')
    const { email } = await invited(boss)
    const { status, body } = await again(` ${email.toUpperCase()}`)
    expect([status, body.reason]).toEqual([409, 'already_invited'])
  })

  test('twenty times at once invites once', async () => {
    const boss = await company()
    const input = { email: somebody(), role: 'member' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => boss.send('POST', '/v1/members', input)),
    )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 202: 1, 409: 19 })
  })

  test('without NOTICE_FROM it is 409 and names the command of the operator; nothing is made', async () => {
    const app = await buildApp({ ...api.deps, sendsNotices: false })
    const boss = await signIn(app, api.sql, (await company()).organizationId, 'owner')
    const { status, body } = await boss.send('POST', '/v1/members', {
      email: somebody(),
      role: 'member',
    })
    expect([status, body.reason]).toEqual([409, 'no_notice_sender'])
    expect(body.error).toContain('letterloom user invite')
    expect((await boss.send('GET', '/v1/invitations')).body.data).toEqual([])
    await app.close()
  })

  test('is mailed at most three times a day to one address, also when it is revoked meanwhile', async () => {
    const boss = await company()
    const { id, email } = await invited(boss)
    const resend = (which: Uuid) => boss.send('POST', `/v1/invitations/${which}/resend`)
    expect((await resend(id)).status).toBe(202)
    expect((await boss.send('DELETE', `/v1/invitations/${id}`)).status).toBe(200)
    const next = await invited(boss, email)
    const refused = await resend(next.id)
    expect([refused.status, refused.body.reason]).toEqual([429, 'too_many_invitations'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_600)
    // The link that was mailed last goes on working.
    expect((await open(next.path)).status).toBe(200)
    passedMs += DAY_MS + 1
    expect((await resend(next.id)).status).toBe(202)
  })

  test('an organization has at most fifty mailed a day, another one its own', async () => {
    const boss = await company()
    const inviting = (who: SignedIn) =>
      who.send('POST', '/v1/members', { email: somebody(), role: 'viewer' })
    await api.sql`
      insert into notices (organization_id, id, kind, subject, period, data, created_at)
      select ${boss.organizationId}, gen_random_uuid(), 'invitation', n::text, '1', '{}',
        ${new Date(Date.now() + passedMs).toISOString()}
      from generate_series(1, 49) n`
    expect((await inviting(boss)).status).toBe(202)
    expect((await inviting(boss)).status).toBe(429)
    expect((await inviting(await company())).status).toBe(202)
  })
})

describe('accepting', () => {
  test('a new person chooses password and name, becomes a member with the role, and can log in', async () => {
    const boss = await company('Ann & Co <b>')
    const { id, email, path } = await invited(boss, somebody(), 'viewer')
    const page = await open(path)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Ann &amp; Co &lt;b&gt;')
    expect(page.text).not.toContain(email)
    const { status, body } = await accept(path, { password: PASSWORD, name: 'Bob' })
    expect([status, body]).toEqual([200, { success: true, message: 'You are a member now' }])
    const { body: login } = await logIn(api.app, { email })
    expect(login.organizations).toEqual([
      { id: boss.organizationId, name: 'Ann & Co <b>', role: 'viewer' },
    ])
    const { body: list } = await boss.send('GET', '/v1/members')
    expect(list.data[0]).toMatchObject({ email, name: 'Bob', role: 'viewer' })
    const actions = ['invitation.created', 'invitation.accepted']
    expect(await noted(boss, id)).toEqual(actions)
    expect((await boss.send('GET', '/v1/invitations')).body.data).toEqual([])
  })

  test('without a name a new person has that of the invitation, else the address', async () => {
    const boss = await company()
    for (const name of ['Dora', undefined]) {
      const email = somebody()
      const { body } = await boss.send('POST', '/v1/members', { email, role: 'viewer', name })
      expect((await accept(await pathOf(body.id))).status).toBe(200)
      const { body: list } = await boss.send('GET', '/v1/members')
      expect(list.data[0]).toMatchObject({ email, name: name ?? email })
    }
  })

  test('somebody with an account needs its password, keeps it and the name, and stays elsewhere', async () => {
    const boss = await company()
    const dora = await addMember(api.sql, api.charlie.organizationId, 'owner')
    const { path } = await invited(boss, dora.email)
    const wrong = await accept(path, { password: OTHER, name: 'Mallory' })
    expect([wrong.status, wrong.body.reason]).toEqual([400, 'wrong_password'])
    expect(await isMember(boss, dora.email)).toBe(false)
    expect((await accept(path, { password: PASSWORD, name: 'Mallory' })).status).toBe(200)
    const { body } = await logIn(api.app, { email: dora.email })
    expect(body.user.name).toBe('Somebody')
    expect(body.organizations.map(({ role }: { role: string }) => role).sort()).toEqual([
      'member',
      'owner',
    ])
    expect((await logIn(api.app, { email: dora.email, password: OTHER })).status).toBe(401)
  })

  test('who has the link and not the password guesses no faster than at the login', async () => {
    const boss = await company()
    const dora = await addMember(api.sql, api.charlie.organizationId, 'owner')
    const { path } = await invited(boss, dora.email)
    const guess = () =>
      inject(api.app, {
        method: 'POST',
        url: path,
        remoteAddress: '192.0.2.15',
        payload: { password: 'this is not it' },
      })
    const statuses = []
    for (let n = 0; n < 6; n++) statuses.push((await guess()).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
    expect(await isMember(boss, dora.email)).toBe(false)
  })

  test('an account without a password that another organization relies on is not opened by a link', async () => {
    const boss = await company()
    const owner = await addPerson(api.sql)
    await api.sql`update users set password_hash = null where id = ${owner.id}`
    await join(api.sql, api.charlie.organizationId, owner, 'owner')
    const { path } = await invited(boss, owner.email)
    const { status, body } = await accept(path)
    expect([status, body.reason]).toEqual([409, 'password_not_set'])
    expect((await logIn(api.app, { email: owner.email })).status).toBe(401)
    // The invitation is still good once the operator has set one.
    await api.admin`
      update users set password_hash = (select password_hash from users where id = ${boss.id})
      where id = ${owner.id}`
    expect((await accept(path)).status).toBe(200)
  })

  test('a password of a new account has twelve characters, and one of an old account any', async () => {
    const boss = await company()
    const { path } = await invited(boss)
    const short = await accept(path, { password: 'eleven char' })
    expect([short.status, short.body.reason]).toEqual([400, 'password_too_short'])
    expect((await accept(path, { password: '' })).status).toBe(422)
    expect((await accept(path, { password: 'twelve chars' })).status).toBe(200)
  })

  test('the page asks everybody the same, loads nothing and is private', async () => {
    const boss = await company()
    const known = await addMember(api.sql, api.charlie.organizationId, 'owner')
    const pages = []
    for (const email of [known.email, somebody()]) {
      const { path } = await invited(boss, email)
      const { status, headers, text } = await open(path)
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'nonce-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      )
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
      })
      expect(text).toContain(`action="https://mail.example.com${path}"`)
      pages.push([status, text.replace(path, '').replace(/nonce="[^"]+"/, '')])
    }
    expect(pages[1]).toEqual(pages[0])
  })

  test('a form works, answers with pages, and says what is wrong on the page itself', async () => {
    const boss = await company()
    const { email, path } = await invited(boss)
    const submit = (fields: Record<string, string>) =>
      inject(api.app, {
        method: 'POST',
        url: path,
        headers: { accept: HTML, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(fields).toString(),
      })
    const short = await submit({ password: 'short', name: '' })
    expect([short.status, short.text.includes('at least 12 characters')]).toEqual([400, true])
    const done = await submit({ password: PASSWORD, name: '' })
    expect([done.status, done.text.includes('You are a member now')]).toEqual([200, true])
    expect(await isMember(boss, email)).toBe(true)
    const again = await submit({ password: PASSWORD, name: '' })
    expect([again.status, again.text.includes('no longer works')]).toEqual([410, true])
  })
})

describe('a link', () => {
  /** What is answered to whoever opens and posts it: a page and JSON. */
  async function answersOf(path: string) {
    const [shown, told, posted] = [await open(path), await open(path, '*/*'), await accept(path)]
    const { error, reason } = told.body
    return [shown.status, shown.text.replace(/nonce="[^"]+"/, ''), error, reason, posted.status]
  }

  test('that is used, revoked, replaced, expired, forged or of another kind gets one answer', async () => {
    const boss = await company()
    const [used, revoked, replaced, expired] = [
      await invited(boss),
      await invited(boss),
      await invited(boss),
      await invited(boss),
    ]
    await accept(used.path)
    await boss.send('DELETE', `/v1/invitations/${revoked.id}`)
    await boss.send('POST', `/v1/invitations/${replaced.id}/resend`)
    const { keyring } = api.deps
    const { organizationId } = boss
    const confirm = signLink(keyring, 'confirm', {
      organizationId,
      contactId: expired.id,
      addressHash: addressHash(organizationId, expired.email),
      generation: 1,
    })
    const forged = `${expired.path.slice(0, -1)}${expired.path.endsWith('A') ? 'B' : 'A'}`
    const before = await membersOf(boss)
    const answers = []
    for (const path of [used.path, revoked.path, replaced.path, `/invitations/${confirm}`, forged])
      answers.push(await answersOf(path))
    expect((await open(expired.path)).status).toBe(200)
    passedMs += 7 * DAY_MS
    answers.push(await answersOf(expired.path))
    expect(answers[0]).toMatchObject([
      410,
      expect.stringContaining('no longer works'),
      expect.any(String),
      'link_over',
      410,
    ])
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(await membersOf(boss)).toEqual(before)
    // It is no key of another page either.
    expect((await open(replaced.path.replace('/invitations/', '/confirm/'))).status).toBe(400)
  })

  test('that is sent again works anew after the first has expired', async () => {
    const boss = await company()
    const { id, email, path } = await invited(boss)
    passedMs += 8 * DAY_MS
    const again = await sessionOf(api.app, boss, boss.organizationId)
    expect((await again.send('POST', `/v1/invitations/${id}/resend`)).status).toBe(202)
    expect((await accept(path)).status).toBe(410)
    expect((await accept(await pathOf(id))).status).toBe(200)
    expect(await isMember(boss, email)).toBe(true)
    expect(await noted(boss, id)).toEqual([
      'invitation.created',
      'invitation.resent',
      'invitation.accepted',
    ])
  })

  test('of an expired invitation does not keep the address from being invited anew', async () => {
    const boss = await company()
    const { id, email } = await invited(boss)
    passedMs += 8 * DAY_MS
    const again = await sessionOf(api.app, boss, boss.organizationId)
    const next = await invited(again, email)
    const { body } = await again.send('GET', '/v1/invitations')
    expect(body.data.map((each: { id: Uuid }) => each.id)).toEqual([next.id])
    expect((await again.send('GET', `/v1/invitations/${id}`)).status).toBe(404)
  })

  test('is asked for sixty times a minute, whoever asks; others count for their address', async () => {
    const { path } = await invited(await company())
    const from = (url: string) =>
      inject(api.app, { url, remoteAddress: '192.0.2.99' }).then(({ status }) => status)
    const statuses = []
    for (let n = 0; n < 61; n++) statuses.push(await from(path))
    expect(tally(statuses)).toEqual({ 200: 60, 429: 1 })
    const forged = []
    for (let n = 0; n < 11; n++) forged.push(await from('/invitations/nonsense'))
    expect(tally(forged)).toEqual({ 410: 10, 429: 1 })
  })
})

describe('at the same moment', () => {
  test('ten accept, known or new: one member, and one was first', async () => {
    const boss = await company()
    const known = await addMember(api.sql, api.charlie.organizationId, 'owner')
    for (const email of [somebody(), known.email]) {
      const { id, path } = await invited(boss, email)
      const answers = await Promise.all(Array.from({ length: 4 }, () => accept(path)))
      expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 410: 3 })
      expect((await membersOf(boss)).filter((each) => each.email === email)).toHaveLength(1)
      expect(await noted(boss, id)).toEqual(['invitation.created', 'invitation.accepted'])
    }
  })

  test('two organizations make one person of a new address', async () => {
    const email = somebody()
    const [one, two] = [await company(), await company()]
    const links = [await invited(one, email), await invited(two, email)]
    const answers = await Promise.all(links.map(({ path }) => accept(path)))
    const statuses = answers.map(({ status }) => status)
    // Whoever comes second finds another account than the one they looked at, and tries again.
    expect([200, 409]).toContain(Math.max(...statuses))
    for (const { path } of links) await accept(path)
    expect([await isMember(one, email), await isMember(two, email)]).toEqual([true, true])
    expect(await api.sql`select from users where email = ${email}`).toHaveLength(1)
  })

  test('it is revoked and accepted: one of the two happens', async () => {
    const boss = await company()
    for (let round = 0; round < 5; round++) {
      const { id, email, path } = await invited(boss)
      const [revoked, accepted] = await Promise.all([
        boss.send('DELETE', `/v1/invitations/${id}`),
        accept(path),
      ])
      const isAccepted = accepted.status === 200
      expect([revoked.status, accepted.status]).toEqual(isAccepted ? [404, 200] : [200, 410])
      expect(await isMember(boss, email)).toBe(isAccepted)
    }
  })
})

describe('the list', () => {
  test('is for admins and owners of the organization, page by page', async () => {
    const boss = await company()
    const stranger = await company()
    const ids = []
    for (let n = 0; n < 3; n++) ids.push((await invited(boss)).id)
    const first = await boss.send('GET', '/v1/invitations?limit=2')
    const next = await boss.send('GET', `/v1/invitations?limit=2&cursor=${first.body.nextCursor}`)
    expect([...first.body.data, ...next.body.data].map(({ id }) => id)).toEqual(ids.toReversed())
    expect(JSON.stringify(first.body)).not.toContain('generation')
    for (const role of ROLES) {
      const { status } = await (await signIn(api.app, api.sql, boss.organizationId, role)).send(
        'GET',
        '/v1/invitations',
      )
      expect([role, status]).toEqual([role, role === 'admin' || role === 'owner' ? 200 : 403])
    }
    expect((await stranger.send('GET', '/v1/invitations')).body.data).toEqual([])
    for (const method of ['GET', 'DELETE'] as const)
      expect((await stranger.send(method, `/v1/invitations/${ids[0]}`)).status).toBe(403)
    expect((await open(await pathOf(ids[0]!))).status).toBe(200)
  })

  test('an admin neither revokes nor sends what only an owner may have made', async () => {
    const boss = await company()
    const admin = await signIn(api.app, api.sql, boss.organizationId, 'admin')
    const { id } = await invited(boss, somebody(), 'admin')
    expect((await admin.send('DELETE', `/v1/invitations/${id}`)).status).toBe(403)
    expect((await admin.send('POST', `/v1/invitations/${id}/resend`)).status).toBe(403)
    expect((await boss.send('DELETE', `/v1/invitations/${id}`)).status).toBe(200)
    expect((await boss.send('DELETE', `/v1/invitations/${id}`)).status).toBe(404)
    expect(await noted(boss, id)).toEqual(['invitation.created', 'invitation.revoked'])
  })
})

test('a member who loses the right to invite loses their open invitations', async () => {
  const boss = await company()
  const other = await signIn(api.app, api.sql, boss.organizationId, 'owner')
  const [admins, viewers] = [
    await invited(other, somebody(), 'admin'),
    await invited(other, somebody(), 'viewer'),
  ]
  await boss.send('PATCH', `/v1/members/${other.id}`, { role: 'admin' })
  expect([(await open(admins.path)).status, (await open(viewers.path)).status]).toEqual([410, 200])
  await boss.send('DELETE', `/v1/members/${other.id}`)
  expect((await accept(viewers.path)).status).toBe(410)
  expect(await noted(boss, viewers.id)).toEqual(['invitation.created', 'invitation.revoked'])
})

test('ended invitations are deleted with their address after a day, expired ones after a week', async () => {
  const boss = await company()
  const [accepted, revoked, ignored, fresh] = [
    await invited(boss),
    await invited(boss),
    await invited(boss),
    await invited(boss),
  ]
  await accept(accepted.path)
  await boss.send('DELETE', `/v1/invitations/${revoked.id}`)
  const age = (column: string, id: Uuid, days: number) => api.sql`
    update invitations set ${api.sql(column)} = now() - ${days} * interval '1 day' where id = ${id}`
  await age('accepted_at', accepted.id, 1.1)
  await age('revoked_at', revoked.id, 1.1)
  await age('expires_at', ignored.id, 7.1)
  await age('expires_at', fresh.id, 6.9)
  await invitations.deleteOld(api.sql)
  const left = await api.sql<{ id: Uuid }[]>`
    select id from invitations where organization_id = ${boss.organizationId}`
  expect(left.map(({ id }) => id)).toEqual([fresh.id])
  const told = await api.sql<{ subject: string }[]>`
    select subject from notices where organization_id = ${boss.organizationId}`
  expect(told.map(({ subject }) => subject)).toEqual([fresh.id])
})
