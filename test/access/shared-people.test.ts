import { afterAll, beforeAll, expect, test } from 'vitest'
import { invitationUrl } from '../../src/keys/invitation-links.ts'
import * as invitations from '../../src/store/access/invitations.ts'
import { type Api, type Client, inject, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { idOf, PLACES } from '../support/matrix.ts'
import { addMember, join, logIn, PASSWORD, sessionOf, type SignedIn } from '../support/people.ts'

/**
 * Two organizations that share a person learn nothing of each other: whatever the person does in
 * one, every GET of the other answers as before. The operations are those of the document, so that
 * none is forgotten.
 */

const MINUTES_MS = 150_000
const NEW_PASSWORD = 'staple of the horse'
/** Begins the ids of the requests that look: what they are noted for is not compared. */
const LOOKING = 'looking-'

interface Described {
  operationId: string
  parameters?: { name: string; in: string; schema: { maximum?: number } }[]
}

let api: Api
let gets: { path: string; operation: Described }[]
/** Later than it is. The clock itself goes on: how long an account has to answer is told by it. */
let passedMs = 0
beforeAll(async () => {
  api = await startApi({ now: () => Date.now() + passedMs })
  const { body: document } = await inject(api.app, { url: '/openapi.json' })
  // What the public tools find is nobody's, and is found again after a few seconds.
  gets = Object.entries<{ get?: Described }>(document.paths).flatMap(([path, { get }]) =>
    get === undefined || path.startsWith('/tools') ? [] : [{ path, operation: get }],
  )
})
afterAll(() => api.close())

/** The address of every GET, with things of the organization; lists are as long as they can be. */
async function addressesIn(client: Client): Promise<{ name: string; url: string }[]> {
  const addresses = []
  for (const { path, operation } of gets) {
    const { operationId: name, parameters = [] } = operation
    const place = PLACES[name]
    if (!place) throw new Error(`${name} has no place in test/support/matrix.ts`)
    const whose = client === api.alice ? 'own' : 'other'
    const id = place.id === undefined ? '' : await idOf(api, place.id, whose)
    const most = parameters.find(({ name }) => name === 'limit')?.schema.maximum
    const query = [place.query, most === undefined ? undefined : `limit=${most}`]
    const asked = query.filter((part) => part !== undefined).join('&')
    const url = `${path.replace(/\{[^}]+\}/, encodeURIComponent(id))}${asked && `?${asked}`}`
    addresses.push({ name, url })
  }
  return addresses
}

/** What each answers, less what looking itself changes: its own events, its own session. */
async function look(watcher: SignedIn, addresses: readonly { name: string; url: string }[]) {
  const seen: Record<string, unknown> = {}
  for (const [n, { name, url }] of addresses.entries()) {
    const headers = {
      authorization: `Bearer ${watcher.token}`,
      'x-request-id': `${LOOKING}${n}`,
    }
    // An account that does not answer in time is asked again.
    const answer = await until(async () => {
      const found = await inject(api.app, { url, headers })
      return found.status !== 503 && found
    })
    const shown = answer.text
      .replaceAll(/nonce="[^"]+"/g, '')
      .replace(/"timestamp":"[^"]+"/, '"timestamp":""')
    seen[name] = [answer.status, answer.headers['content-type'], withoutOwn(shown)]
  }
  return seen
}

function withoutOwn(text: string): string {
  if (!text.startsWith('{')) return text
  const isOwn = (row: { requestId?: string; current?: boolean; action?: string } | null) =>
    row?.requestId?.startsWith(LOOKING) === true ||
    row?.current === true ||
    // An export of a contact notes itself, and shows that the next time, without the request.
    (row?.action === 'contact.exported' && row.requestId === undefined)
  const body = JSON.parse(text, (key, value) => {
    // A segment that is looked at is counted again after a minute; a report says when it was made,
    // and metrics from which day until which quarter of an hour they are.
    if (['countedAt', 'generatedAt', 'start', 'end'].includes(key)) return undefined
    return Array.isArray(value) ? value.filter((row) => !isOwn(row)) : value
  })
  return JSON.stringify(body)
}

/** All that a person can do in an organization, and all that can happen to them there. */
async function live(boss: SignedIn, person: SignedIn): Promise<void> {
  const { organizationId } = boss
  const { id, email } = person
  const done = async (answer: Promise<{ status: number; text: string }>, wanted: number) => {
    const { status, text } = await answer
    if (status !== wanted) throw new Error(text)
  }
  const here = async (password?: string) => {
    const { body } = await logIn(api.app, { email, organizationId, ...(password && { password }) })
    return (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
      inject(api.app, {
        method,
        url,
        headers: { authorization: `Bearer ${body.token}` },
        ...(payload && { payload }),
      })
  }
  for (let n = 0; n < 3; n++) {
    await done(logIn(api.app, { email, organizationId, password: 'this is not it' }), 401)
  }
  const first = await here()
  await done(first('POST', '/v1/api-keys', { name: 'Key' }), 201)
  await done(first('POST', '/v1/contacts', { email: 'ada@example.com' }), 201)
  await done(first('GET', '/v1/contacts/export'), 200)
  await done(first('GET', '/auth/sessions'), 200)
  await done(first('POST', '/auth/logout'), 200)
  await done(boss.send('PATCH', `/v1/members/${id}`, { role: 'owner' }), 200)
  const second = await here()
  const { body: sessions } = await second('GET', '/auth/sessions')
  // Also those of the other organization.
  for (const session of sessions.data.slice(1, 2)) {
    await done(second('DELETE', `/auth/sessions/${session.id}`), 200)
  }
  await done(second('DELETE', '/auth/sessions'), 200)
  const wrong = { currentPassword: 'this is not it', newPassword: NEW_PASSWORD }
  await done(second('POST', '/auth/password', wrong), 400)
  await done(second('POST', '/auth/password', { ...wrong, currentPassword: PASSWORD }), 200)
  await done(second('POST', '/v1/members', { email: `new-${email}`, role: 'viewer' }), 202)
  await done(boss.send('DELETE', `/v1/members/${id}`), 200)
  const { status, body, text } = await boss.send('POST', '/v1/members', { email, role: 'viewer' })
  if (status !== 202) throw new Error(text)
  const invitation = await invitations.find(api.sql, organizationId, body.id)
  if (!invitation) throw new Error('no invitation')
  const url = invitationUrl(api.deps.keyring, '', { ...invitation, organizationId })
  const accept = (password: string) =>
    inject(api.app, { method: 'POST', url, payload: { password } })
  await done(accept(PASSWORD), 400)
  await done(accept(NEW_PASSWORD), 200)
  await done((await here(NEW_PASSWORD))('POST', '/auth/logout'), 200)
}

test.each([
  ['A', 'B'],
  ['B', 'A'],
])('what a person does in %s is seen by no GET of %s', async (acting) => {
  const [there, watched] = acting === 'A' ? [api.alice, api.charlie] : [api.charlie, api.alice]
  const person = await addMember(api.sql, there.organizationId, 'admin')
  await join(api.sql, watched.organizationId, person, 'admin')
  // They have been in both.
  const inBoth = await sessionOf(api.app, person, watched.organizationId)
  await sessionOf(api.app, person, there.organizationId)
  const bossOf = async ({ organizationId }: Client) =>
    sessionOf(api.app, await addMember(api.sql, organizationId, 'owner'), organizationId)
  const [boss, watcher] = [await bossOf(there), await bossOf(watched)]
  const addresses = await addressesIn(watched)

  // What the accounts say is asked by the first look, and what is old by then is counted again.
  passedMs += MINUTES_MS
  await look(watcher, addresses)
  const before = await look(watcher, addresses)
  // What is seen of minutes in which nobody did anything is no finding.
  passedMs += MINUTES_MS
  expect(await look(watcher, addresses)).toEqual(before)
  for (const [name, [status]] of Object.entries(before as Record<string, [number]>)) {
    expect([name, status]).toEqual([name, 200])
  }
  passedMs += MINUTES_MS
  await live(boss, inBoth)
  expect(await look(watcher, addresses)).toEqual(before)

  const { body } = await boss.send('GET', '/v1/audit-events?limit=100')
  const actions = body.data.map(({ action }: { action: string }) => action)
  expect(actions).toEqual(
    expect.arrayContaining(['login.succeeded', 'password.changed', 'invitation.accepted']),
  )
  expect(actions).not.toContain('login.failed')
})

test('switching from another organization is recorded like a login', async () => {
  const person = await addMember(api.sql, api.alice.organizationId, 'viewer')
  await join(api.sql, api.charlie.organizationId, person, 'viewer')
  const here = await sessionOf(api.app, person, api.alice.organizationId)
  const noted = () => api.sql<{ action: string; subjectKind: string; detail: object }[]>`
    select action, subject_kind, detail from audit_events
    where organization_id = ${api.charlie.organizationId} and actor_id = ${person.id}
    order by id`
  const { organizationId } = api.charlie
  expect((await here.send('POST', '/auth/switch', { organizationId })).status).toBe(200)
  await sessionOf(api.app, person, organizationId)
  const [switched, loggedIn] = await noted()
  expect(switched).toEqual(loggedIn)
  expect(switched?.action).toBe('login.succeeded')
})
