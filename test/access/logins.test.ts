import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Uuid } from '../../src/runtime/ids.ts'
import { listLoginLacks } from '../../src/store/db/login-check.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import { makeRoles } from '../../src/store/db/roles.ts'
import { connect, type Transaction, within } from '../../src/store/db/sql.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { connectAs } from '../support/logins.ts'

let api: Api
let alice: Uuid

beforeAll(async () => {
  api = await startApi()
  alice = api.alice.organizationId
  await createContact(api.alice, { email: 'ann@example.com' })
  await createContact(api.charlie, { email: 'joann@example.com' })
})
afterAll(() => api.close())

const everybody = {
  logic: 'AND',
  groups: [{ filters: [{ field: 'email', operator: 'exists' }] }],
}

test('the API searches and makes segments with the login that it has in production', async () => {
  const found = await api.alice.get('/v1/contacts?search=ann')
  expect([found.status, found.body.contacts.map(({ email }: { email: string }) => email)]).toEqual([
    200,
    ['ann@example.com'],
  ])
  const preview = await api.alice.post('/v1/segments/preview', { condition: everybody })
  expect(preview).toMatchObject({ status: 200, body: { count: 1 } })
  const segment = await api.alice.post('/v1/segments', { name: 'All', condition: everybody })
  expect(segment).toMatchObject({ status: 201, body: { memberCount: 1 } })
})

test('each login is what it is, and takes on letterloom_search without inheriting it', async () => {
  for (const name of ['letterloom_api', 'letterloom_worker'] as const) {
    const sql = connect(loginUrl(api.databaseUrl, name), { name: 'logins', max: 1 })
    const [login] = await sql`
      select session_user as name, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
        pg_has_role('letterloom_search', 'usage') as inherits,
        (select array_agg(m.rolname::text) from pg_roles m
          where pg_has_role(m.oid, 'member') and m.oid <> r.oid) as roles
      from pg_roles r
      where rolname = session_user`
    await sql.end()
    expect(login).toEqual({
      name,
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      inherits: false,
      roles: ['letterloom_search'],
    })
  }
})

test('the role of searches only reads, and no secrets', async () => {
  const sql = connectAs(api.databaseUrl, { name: 'logins', role: 'letterloom_search', max: 1 })
  const readable = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and has_table_privilege(oid, 'select')`
  const writable = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and has_table_privilege(oid, 'insert, update, delete, truncate')`
  await sql.end()
  const names = readable.map(({ name }) => name)
  expect(names).toContain('contacts')
  expect(names).not.toContain('users')
  expect(writable).toEqual([])
})

async function lacks(tx: Transaction): Promise<string[]> {
  await tx`set local role letterloom_api`
  const sentences = await listLoginLacks(tx)
  await tx`reset role`
  return sentences
}

/** Contacts of others that the API's login reads on behalf of Alice. */
async function foreignContacts(tx: Transaction): Promise<number> {
  await tx`set local role letterloom_api`
  await tx`select set_config('letterloom.organization', ${alice}, true)`
  // A plan that is kept would keep the policies that it was made with.
  const [row] = await tx.once(tx<{ seen: number }[]>`
    select count(*) as seen from contacts where organization_id <> ${alice}`)
  await tx`reset role`
  return row?.seen ?? 0
}

test('rows of others are hidden from the API’s login; the grant that suggests itself shows them, and is put right', async () => {
  const sql = connectAs(api.databaseUrl, { name: 'logins', role: 'letterloom_api', max: 1 })
  const seen = await within(sql, alice)`
    select email from contacts order by email`
  await sql.end()
  expect(seen).toEqual([{ email: 'ann@example.com' }])

  class Undo extends Error {}
  // Nobody else sees these grants: they are never committed.
  const attempt = api.admin.begin(async (tx) => {
    const [server] = await tx<{ version: number }[]>`
      select current_setting('server_version_num')::integer as version`
    expect(await foreignContacts(tx)).toBe(0)
    await tx.unsafe(
      server!.version < 160_000
        ? 'alter role letterloom_api inherit'
        : 'grant letterloom_search to letterloom_api with inherit true',
    )
    expect(await foreignContacts(tx)).toBe(1)
    expect(await lacks(tx)).toEqual([
      'letterloom_api inherits letterloom_search, so no policy binds it: run migrations/roles.sql',
    ])
    await makeRoles(tx, { owner: 'letterloom_owner' })
    expect(await foreignContacts(tx)).toBe(0)
    expect(await lacks(tx)).toEqual([])
    throw new Undo()
  })
  await expect(attempt).rejects.toThrow(Undo)
})
