import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { makeRoles, type RoleSettings } from '../../src/store/db/roles.ts'
import { connect, type Pool, type Sql, within } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'

/** The server has an installation already, so its roles are there and belong to somebody else. */
let database: TestDatabase
const opened: Sql[] = []
const names: string[] = []

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(async () => {
  await Promise.all(opened.map((sql) => sql.end()))
  for (const name of names) {
    await database.admin.unsafe(`drop database ${name} with (force)`)
    await database.admin.unsafe(`
      drop role ${name}; drop role if exists ${name}_api; drop role if exists ${name}_worker`)
  }
  await database.drop()
})

function open(url: URL | string, role?: Pool['role']): Sql {
  const sql = connect(String(url), { name: 'owners', max: 1, ...(role ? { role } : {}) })
  opened.push(sql)
  return sql
}

/** An empty database, beside the others, of an owner who has a password and nothing else. */
async function newOwner() {
  const name = `owner_${uuidv7().replaceAll('-', '')}`
  await database.admin.unsafe(`create role ${name} login password 'x'`)
  await database.admin.unsafe(`create database ${name} owner ${name}`)
  names.push(name)
  const url = (username: string, password: string): URL =>
    Object.assign(new URL(database.url), { pathname: `/${name}`, username, password })
  return { name, url, owner: open(url(name, 'x')) }
}

const asAdmin = (settings: RoleSettings) => database.admin.begin((tx) => makeRoles(tx, settings))

test('two owners beside each other migrate, once the script of roles has run for each; logins of other names take on the roles', async () => {
  const first = await newOwner()
  await asAdmin({ owner: first.name })
  expect((await migrate(first.owner)).length).toBeGreaterThan(2)
  expect(await migrate(first.owner)).toEqual([])

  const { name, url, owner } = await newOwner()
  const logins = { api_login: `${name}_api`, worker_login: `${name}_worker` }
  await asAdmin({ owner: name, ...logins, api_password: 'a', worker_password: 'w' })
  await migrate(owner)
  await owner.unsafe(`
    revoke all on database ${name} from public;
    grant connect on database ${name} to ${logins.api_login}, ${logins.worker_login}`)
  const worker = open(url(logins.worker_login, 'w'), 'letterloom_worker')
  const { organizationId } = await seedOrganization(worker)
  await seedContacts(worker, organizationId, 2)
  const api = open(url(logins.api_login, 'a'), 'letterloom_api')
  expect(await within(api, organizationId)`select id from contacts`).toHaveLength(2)
  expect(await within(api, uuidv7())`select id from contacts`).toEqual([])
  const search = open(url(logins.api_login, 'a'), 'letterloom_search')
  expect(await search`select id from contacts`).toHaveLength(2)
  // Rows that a migration has to change it may change: forced policies bind the owner as well.
  expect(await owner`update contacts set company = 'x'`).toMatchObject({ count: 2 })

  // What the roles may do, these logins may not until they take one on; others may not come in.
  await expect(open(url(logins.api_login, 'a'))`select id from contacts`).rejects.toThrow(
    'permission denied for table contacts',
  )
  const { username, password } = new URL(loginUrl(database.url, 'letterloom_api'))
  const stranger = open(url(username, password))
  await expect(stranger`select 1`).rejects.toThrow('permission denied for database')
})

test('an owner who may grant any role takes on none of the API and of searches by migrating', async () => {
  const { name, owner } = await newOwner()
  await database.admin.unsafe(`alter role ${name} createrole`)
  await asAdmin({ owner: name })
  await migrate(owner)
  const memberships = await owner`
    select roleid::regrole::text as role from pg_auth_members
    where member = ${name}::regrole
    order by role`
  expect(memberships.map(({ role }) => role)).toEqual(['letterloom_definer', 'letterloom_worker'])
})

test('an owner for whom nobody has run it is told so, and nothing is left behind', async () => {
  const { name, owner } = await newOwner()
  const refusal = migrate(owner)
  await expect(refusal).rejects.toThrow(`"${name}" may not "grant letterloom_definer to ${name}`)
  await expect(refusal).rejects.toThrow(
    `run migrations/roles.sql with the setting letterloom.owner = '${name}'`,
  )
  expect(
    await owner`
    select from pg_class where relnamespace = 'public'::regnamespace`,
  ).toEqual([])
})

test('a password is in no error, whoever may not set it', async () => {
  const { name, owner } = await newOwner()
  await asAdmin({ owner: name })
  const refused = owner.begin((tx) => makeRoles(tx, { api_password: 'hunter2' }))
  const error: unknown = await refused.catch((each: unknown) => each)
  expect(String(error)).toContain('may not "alter role letterloom_api login"')
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('hunter2')
})
