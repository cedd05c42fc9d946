import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeCursor } from '../../api/http/cursor.ts'
import { ROLES, type Role } from '../../src/domain/access/access.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { type Api, startApi } from '../support/api.ts'
import { addMember, addPerson, join, sessionOf, type SignedIn, signIn } from '../support/people.ts'

let api: Api
let owner: SignedIn
beforeAll(async () => {
  api = await startApi()
  owner = await signIn(api.app, api.sql, api.alice.organizationId, 'owner')
})
afterAll(() => api.close())

const roleOf = async (organizationId: string, userId: string): Promise<Role | undefined> => {
  const [row] = await api.sql<{ role: Role }[]>`
    select role from memberships where organization_id = ${organizationId} and user_id = ${userId}`
  return row?.role
}

/** An organization of its own with one owner who has logged in. */
async function company() {
  const organizationId = uuidv7()
  await organizations.create(api.sql, { id: organizationId, name: 'C' })
  return signIn(api.app, api.sql, organizationId, 'owner')
}

describe('who may manage whom', () => {
  const managed: Record<Role, readonly Role[]> = {
    viewer: [],
    member: [],
    admin: ['viewer', 'member'],
    owner: ROLES,
  }

  test.each(ROLES)('a %s', async (role) => {
    const person = await signIn(api.app, api.sql, api.alice.organizationId, role)
    for (const other of ROLES) {
      const may = managed[role].includes(other)
      const target = await addMember(api.sql, person.organizationId, other)
      const email = `${uuidv7()}@example.com`
      const invited = await person.send('POST', '/v1/members', { email, role: other })
      expect([role, 'invites', other, invited.status]).toEqual([
        role,
        'invites',
        other,
        may ? 202 : 403,
      ])
      const removed = await person.send('DELETE', `/v1/members/${target.id}`)
      expect([role, 'removes', other, removed.status]).toEqual([
        role,
        'removes',
        other,
        may ? 200 : 403,
      ])
      expect((await roleOf(person.organizationId, target.id)) === undefined).toBe(may)
    }
  })

  test('an admin raises nobody to admin and lowers none', async () => {
    const admin = await signIn(api.app, api.sql, api.alice.organizationId, 'admin')
    for (const [from, to, wanted] of [
      ['viewer', 'member', 200],
      ['member', 'admin', 403],
      ['admin', 'member', 403],
      ['owner', 'viewer', 403],
    ] as const) {
      const target = await addMember(api.sql, admin.organizationId, from)
      const { status } = await admin.send('PATCH', `/v1/members/${target.id}`, { role: to })
      expect([from, to, status]).toEqual([from, to, wanted])
      expect(await roleOf(admin.organizationId, target.id)).toBe(wanted === 200 ? to : from)
    }
    expect((await admin.send('PATCH', `/v1/members/${admin.id}`, { role: 'owner' })).status).toBe(
      403,
    )
  })

  test('no key, not even a full one, lists or changes members', async () => {
    expect((await api.alice.get('/v1/members')).body.reason).toBe('session_required')
    const input = { email: 'x@example.com', role: 'owner' }
    expect((await api.alice.post('/v1/members', input)).status).toBe(403)
    expect((await api.alice.delete(`/v1/members/${owner.id}`)).status).toBe(403)
  })

  test('a member of another organization is 404, listed nowhere, and stays', async () => {
    const stranger = await signIn(api.app, api.sql, api.charlie.organizationId, 'owner')
    const { status } = await stranger.send('DELETE', `/v1/members/${owner.id}`)
    expect(status).toBe(404)
    expect((await stranger.send('DELETE', '/v1/members/nonsense')).status).toBe(404)
    const { body } = await stranger.send('GET', '/v1/members?limit=100')
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(owner.id)
    expect(await roleOf(owner.organizationId, owner.id)).toBe('owner')
  })
})

describe('the list', () => {
  test('shows viewers everybody, page by page, without what passwords are checked with', async () => {
    const viewer = await signIn(api.app, api.sql, api.alice.organizationId, 'viewer')
    const { body: whole, text } = await viewer.send('GET', '/v1/members?limit=100')
    expect(text).not.toContain('argon2')
    const rows = await api.sql`
      select from memberships where organization_id = ${viewer.organizationId}`
    expect(whole.data).toHaveLength(rows.length)
    const first = await viewer.send('GET', '/v1/members?limit=3')
    const next = await viewer.send('GET', `/v1/members?limit=3&cursor=${first.body.nextCursor}`)
    expect([...first.body.data, ...next.body.data]).toEqual(whole.data.slice(0, 6))
  })

  test('has who joined last first, however long they are known, and goes on where one left', async () => {
    const boss = await company()
    const people = await Promise.all(Array.from({ length: 5 }, () => addPerson(api.sql)))
    // The middle three join in the same millisecond.
    const joined = [5, 4, 4, 4, 3].map((day) => `2026-01-0${day}T00:00:00.000Z`)
    for (const [n, person] of people.entries()) {
      await join(api.sql, boss.organizationId, person, 'viewer')
      await api.sql`
        update memberships set created_at = ${joined[n]!}
        where organization_id = ${boss.organizationId} and user_id = ${person.id}`
    }
    const [first, , , , last] = people
    const middle = people
      .slice(1, 4)
      .map(({ id }) => id)
      .sort()
      .toReversed()
    const order = [boss.id, first!.id, ...middle, last!.id]
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`
      const { body } = await boss.send('GET', `/v1/members?limit=1${query}`)
      const [{ id }] = body.data
      ids.push(id)
      cursor = body.nextCursor
      if (id === middle[0]) await boss.send('DELETE', `/v1/members/${id}`)
    } while (cursor !== null)
    expect(ids).toEqual(order)
  })

  test('takes no cursor that was made up or belongs to another list', async () => {
    const { body } = await owner.send('GET', '/v1/members?limit=1')
    const other = await company()
    const made = encodeCursor(
      { list: 'members', organizationId: owner.organizationId, filters: {} },
      owner.id,
    )
    for (const [who, cursor] of [
      [other, body.nextCursor],
      [owner, made],
      [owner, 'x'],
    ] as const) {
      const { status, body } = await who.send('GET', `/v1/members?cursor=${cursor}`)
      expect([status, body.details?.[0].path]).toEqual([400, 'cursor'])
    }
  })
})

describe('a change of role or membership', () => {
  test('ends the person’s sessions here and nowhere else', async () => {
    const person = await addMember(api.sql, api.alice.organizationId, 'member')
    await join(api.sql, api.charlie.organizationId, person, 'member')
    const here = await sessionOf(api.app, person, api.alice.organizationId)
    const there = await sessionOf(api.app, person, api.charlie.organizationId)
    const statuses = async () => {
      await sleep(1_000)
      const answers = [here, there].map(({ send }) => send('GET', '/v1/contacts'))
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    const url = `/v1/members/${person.id}`
    const same = await owner.send('PATCH', url, { role: 'member' })
    expect([same.status, await statuses()]).toEqual([200, [200, 200]])
    const { status, body } = await owner.send('PATCH', url, { ...same.body, role: 'viewer' })
    expect([status, body]).toEqual([200, { ...same.body, role: 'viewer' }])
    expect(await statuses()).toEqual([401, 200])

    const back = await sessionOf(api.app, person, api.alice.organizationId)
    expect((await owner.send('DELETE', url)).status).toBe(200)
    await sleep(1_000)
    expect((await back.send('GET', '/v1/contacts')).status).toBe(401)
    const noted = await api.sql`
      select action, detail from audit_events where subject_id = ${person.id} order by id`
    expect(noted).toEqual([
      { action: 'member.role_changed', detail: { from: 'member', to: 'viewer' } },
      { action: 'member.removed', detail: { role: 'viewer' } },
    ])
  })
})

describe('the last owner', () => {
  test('can neither go nor become anything else', async () => {
    const last = await company()
    const url = `/v1/members/${last.id}`
    for (const { status, body } of [
      await last.send('DELETE', url),
      await last.send('PATCH', url, { role: 'admin' }),
    ]) {
      expect([status, body.reason]).toEqual([409, 'last_owner'])
    }
    expect(await roleOf(last.organizationId, last.id)).toBe('owner')
  })

  test('of two, fifty removals and demotions at once leave one', async () => {
    for (let round = 0; round < 3; round++) {
      const one = await company()
      const two = await signIn(api.app, api.sql, one.organizationId, 'owner')
      // Both are known already: else all requests of one would come before those of the other.
      await Promise.all([one, two].map((each) => each.send('GET', '/v1/members')))
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => {
          const [who, whom] = n % 2 === 0 ? [one, two] : [two, one]
          const url = `/v1/members/${whom.id}`
          return n % 4 < 2 ? who.send('DELETE', url) : who.send('PATCH', url, { role: 'viewer' })
        }),
      )
      const owners = await api.sql`
        select from memberships where organization_id = ${one.organizationId} and role = 'owner'`
      expect(owners).toHaveLength(1)
      expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    }
  })

  test('who lost their role a moment ago manages nobody with it', async () => {
    const boss = await company()
    const fallen = await signIn(api.app, api.sql, boss.organizationId, 'owner')
    expect((await fallen.send('GET', '/v1/members')).status).toBe(200)
    await boss.send('PATCH', `/v1/members/${fallen.id}`, { role: 'viewer' })
    // Within the second in which this process still knows the session as an owner's.
    const person = await addPerson(api.sql)
    const { status } = await fallen.send('POST', '/v1/members', {
      email: person.email,
      role: 'owner',
    })
    expect([401, 403]).toContain(status)
    const { body } = await boss.send('GET', '/v1/invitations')
    expect(body.data).toEqual([])
  })
})
