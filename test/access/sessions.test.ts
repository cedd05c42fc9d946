import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Executor, type Sql, transact } from '../../src/store/db/sql.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import * as sessions from '../../src/store/access/sessions.ts'
import * as users from '../../src/store/access/users.ts'
import { sha256 } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addMember, type Person } from '../support/people.ts'
import { connectAs } from '../support/logins.ts'

const ANOTHER_HASH = '$argon2id$another'

let database: TestDatabase
/** Of the one who has the session or the password of somebody else. */
let thief: Sql
/** Of the person, or of the operator who helps them. */
let owner: Sql
const organizationId = uuidv7()
beforeAll(async () => {
  database = await createDatabase()
  thief = connectAs(database.url, { name: 'thief', role: 'letterloom_api', max: 1 })
  owner = connectAs(database.url, { name: 'owner', role: 'letterloom_worker', max: 1 })
  await organizations.create(database.sql, { id: organizationId, name: 'A', plan: 'free' })
})
afterAll(async () => {
  await thief.end()
  await owner.end()
  await database.drop()
})

const at = new Date().toISOString()
const hashOf = async ({ id }: Person) => {
  const [user] = await database.admin<{ passwordHash: string }[]>`
    select password_hash from users where id = ${id}`
  return user!.passwordHash
}
const newSession = () => ({ id: uuidv7(), hash: sha256(uuidv7()) })
const open = async (sql: Executor, person: Person, session: { id: string; hash: Buffer }) =>
  sessions.open(sql, {
    ...session,
    userId: person.id,
    organizationId,
    passwordHash: await hashOf(person),
    at,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    idleSince: new Date(0).toISOString(),
  })

const ways = {
  'logs in with the old password': async (tx: Executor, person: Person) => {
    const session = newSession()
    expect(await open(tx, person, session)).toBe(true)
    return session
  },
  'switches a stolen session': async (tx: Executor, _person: Person, stolen: { id: string }) => {
    const session = newSession()
    const change = { ...session, from: stolen.id, organizationId, at }
    expect(await sessions.switchTo(tx, change)).toBeDefined()
    return session
  },
}
const ends = {
  'a change of the password': async (person: Person, keep: string) => {
    const verifiedHash = await hashOf(person)
    const change = { userId: person.id, verifiedHash, newHash: ANOTHER_HASH, keep, at }
    expect(await sessions.changePassword(owner, change)).toBe(true)
  },
  'the end of all other sessions': async (person: Person, keep: string) => {
    expect(await sessions.end(owner, person.id, { keep, at })).toBeGreaterThan(0)
  },
  'a password that the operator sets': async (person: Person) => {
    await transact(owner, (tx) => users.setPassword(tx, person.id, ANOTHER_HASH))
  },
}
const isWaiting = async () => {
  const rows = await database.admin`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'owner' and wait_event_type = 'Lock'`
  return rows.length > 0
}

const cases = Object.entries(ways).flatMap(([way, act]) =>
  Object.entries(ends).map(([end, finish]) => ({ way, act, end, finish })),
)

test.each(cases)('$end waits for who $way, and ends that session too', async ({ act, finish }) => {
  const person = await addMember(database.sql, organizationId, 'member')
  const [kept, stolen] = [newSession(), newSession()]
  for (const session of [kept, stolen]) await open(database.sql, person, session)
  const ending = { isOver: false }
  const { made, over } = await transact(thief, async (tx) => {
    const made = await act(tx, person, stolen)
    const over = finish(person, kept.id).finally(() => (ending.isOver = true))
    while (!ending.isOver && !(await isWaiting()));
    return { made, over }
  })
  await over
  expect(await sessions.findLive(database.sql, made.hash)).toBeUndefined()
  expect(await sessions.findLive(database.sql, stolen.hash)).toBeUndefined()
})
