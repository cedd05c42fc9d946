import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Sql, within } from '../../src/store/db/sql.ts'
import { root, trackedFiles } from '../house/files.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { connectAs } from '../support/logins.ts'
import { seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'
import { guarantee } from '../support/guarantee.ts'

const REFUSED = '42501'
/** The functions that may look across organizations, each with its reason in the migration. */
const SECURITY_DEFINERS = [
  'account_pace(uuid, uuid)',
  'change_password(uuid, text, text, uuid, timestamp with time zone)',
  'end_sessions(uuid, uuid, uuid, timestamp with time zone)',
  'find_or_add_person(uuid, text, text)',
  'forget_login_failures(bytea)',
  'forget_rate_limits(integer, integer, bigint)',
  'live_api_key(bytea)',
  'live_session(bytea)',
  'login_lookup(text, bytea, timestamp with time zone)',
  'note_login_failure(bytea, timestamp with time zone, timestamp with time zone)',
  'open_session(uuid, uuid, text, uuid, bytea, timestamp with time zone, timestamp with time zone, timestamp with time zone)',
  'open_transactions()',
  'owner_of(text, uuid)',
  'owner_of_log(uuid, uuid[])',
  'person_accepting(uuid, text, text, text, text, timestamp with time zone)',
  'person_organizations(uuid)',
  'person_sessions(uuid, timestamp with time zone, timestamp with time zone, uuid, integer)',
  'sns_topic(uuid)',
  'store_inbound_events(uuid[], uuid[], text[], text[], text[], text[])',
  'switch_session(uuid, uuid, uuid, bytea, timestamp with time zone)',
  'take_rate_limits(jsonb, bigint)',
  'take_room_for_events(uuid[], uuid[], text[], integer[], bigint[], boolean[], boolean[], integer, bigint)',
  'was_ever_verified(uuid)',
  'webhook_proofs(text)',
]
/** Functions of the owner's that a worker needs; they read nothing. */
const OWNERS = [
  'analyze_contacts()',
  'analyze_messages(date)',
  'drop_partition(text, date)',
  'make_partition(text, date, text, text)',
]

let database: TestDatabase
let api: Sql
let alice: Uuid
let charlie: Uuid

beforeAll(async () => {
  database = await createDatabase()
  api = connectAs(database.url, { name: 'tenancy', role: 'letterloom_api', max: 3 })
  const seeded = await Promise.all([seedOrganization(database.sql), seedOrganization(database.sql)])
  for (const each of seeded) {
    await seedContacts(database.sql, each.organizationId, 3)
    await seedBatch(database.sql, each)
  }
  const [a, c] = seeded
  alice = a.organizationId
  charlie = c.organizationId
})
afterAll(async () => {
  await api.end()
  await database.drop()
})

const asAlice = (): Sql => within(api, alice)

const tables = (withOrganization: boolean) => database.sql<{ name: string }[]>`
  select c.relname as name
  from pg_class c
  where c.relnamespace = 'public'::regnamespace
    and c.relkind in ('r', 'p')
    and not c.relispartition
    and (c.relname = 'organizations' or exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'
    )) = ${withOrganization}
  order by 1`

test('the session under test can bypass no policy', async () => {
  for (const sql of [api, asAlice()]) {
    const [session] = await sql<Record<string, unknown>[]>`
      select current_user as name, r.rolsuper, r.rolbypassrls, row_security_active('contacts') as active,
        exists (select from pg_class c where c.relowner = r.oid) as owns
      from pg_roles r
      where r.rolname = current_user`
    expect(session).toEqual({
      name: 'letterloom_api',
      rolsuper: false,
      rolbypassrls: false,
      active: true,
      owns: false,
    })
  }
})

test('every table of organizations’ rows has forced policies for each role', async () => {
  const missing = await database.sql`
    select c.relname, p.roles
    from pg_class c
    cross join lateral (
      select array_agg(polname || ' ' || (select string_agg(r.rolname, ',' order by r.rolname)
        from pg_roles r where r.oid = any(polroles)) order by polname) as roles
      from pg_policy where polrelid = c.oid and polname in ('tenant', 'everything', 'reading')
    ) as p
    where c.relname = any(${(await tables(true)).map(({ name }) => name)}::text[])
      and c.relnamespace = 'public'::regnamespace
      and not (c.relrowsecurity and c.relforcerowsecurity and p.roles = array[
        'everything letterloom_worker', 'reading letterloom_definer,letterloom_search',
        'tenant letterloom_api'])`
  expect(missing).toEqual([])
})

test('the API renames its organization and cannot give it another plan', async () => {
  const sql = asAlice()
  await sql`update organizations set name = 'Alice Inc', updated_at = now() where id = ${alice}`
  for (const column of ['plan', 'id', 'created_at']) {
    const update = sql`update organizations set ${sql(column)} = ${sql(column)} where id = ${alice}`
    await expect(update).rejects.toMatchObject({ code: REFUSED })
  }
  await expect(
    sql`insert into plan_overrides (organization_id) values (${alice})`,
  ).rejects.toMatchObject({
    code: REFUSED,
  })
})

test('versions of flows and events that happened are changed by nobody', async () => {
  const worker = connectAs(database.url, { name: 'tenancy', role: 'letterloom_worker', max: 1 })
  try {
    for (const sql of [asAlice(), worker]) {
      for (const statement of [
        sql`update flow_versions set definition = '{}'`,
        sql`delete from flow_versions`,
        sql`update flow_headers set sealed = ''`,
        sql`delete from flow_headers`,
        sql`update events set name = 'other'`,
      ]) {
        await expect(statement).rejects.toMatchObject({ code: REFUSED })
      }
    }
    await expect(asAlice()`delete from events`).rejects.toMatchObject({ code: REFUSED })
  } finally {
    await worker.end()
  }
})

test('the API cannot reach rows without an organization, except lists without secrets', async () => {
  const [row] = await database.sql<{ readable: string[] | null }[]>`
    select array_agg(name order by name) as readable
    from unnest(${(await tables(false)).map(({ name }) => name)}::text[]) as name
    where has_table_privilege('letterloom_api', name, 'select, insert, update, delete')`
  expect(
    row?.readable?.filter(
      (name) => !['schema_migrations', 'plans', 'users', 'receivers', 'loops_awake'].includes(name),
    ),
  ).toEqual([])
})

test('no row of another organization is seen, whatever the query asks', async () => {
  for (const { name } of await tables(true)) {
    const column = name === 'organizations' ? 'id' : 'organization_id'
    const seen = await asAlice()<{ owner: string }[]>`
      select distinct ${api(column)} as owner from ${api(name)}`
    const foreign = seen.filter(({ owner }) => owner !== alice)
    guarantee(() => expect([name, foreign]).toEqual([name, []]))
  }
  // And there was something to be seen.
  const [count] = await asAlice()<{ contacts: number; batches: number; organizations: number }[]>`
    select (select count(*) from contacts) as contacts, (select count(*) from batches) as batches,
      (select count(*) from organizations) as organizations`
  expect(count).toEqual({ contacts: 3, batches: 1, organizations: 1 })
})

test('no row of another organization is written', async () => {
  const sql = asAlice()
  await expect(
    sql`insert into contacts (organization_id, id, email) values (${charlie}, ${uuidv7()}, 'x@example.com')`,
  ).rejects.toMatchObject({ code: REFUSED })
  await expect(sql`update contacts set organization_id = ${charlie}`).rejects.toMatchObject({
    code: REFUSED,
  })
  for (const statement of [
    sql`update contacts set first_name = 'taken' where organization_id = ${charlie}`,
    sql`delete from contacts where organization_id = ${charlie}`,
    sql`update organizations set name = 'taken' where id = ${charlie}`,
    sql`delete from batches where organization_id = ${charlie}`,
  ]) {
    expect((await statement).count).toBe(0)
  }
  await expect(
    sql`select first_name from contacts where organization_id = ${charlie} for update`,
  ).resolves.toHaveLength(0)
  const [left] = await database.sql<{ names: string[] }[]>`
    select array_agg(first_name order by first_name) as names
    from contacts where organization_id = ${charlie}`
  expect(left?.names).toEqual(['Reader 1', 'Reader 2', 'Reader 3'])
})

test('a partition cannot be asked instead of its table', async () => {
  const [partition] = await database.sql<{ name: string }[]>`
    select inhrelid::regclass::text as name
    from pg_inherits where inhparent = 'messages'::regclass limit 1`
  expect(partition).toBeDefined()
  await expect(asAlice()`select * from ${api(partition?.name ?? '')}`).rejects.toMatchObject({
    code: REFUSED,
  })
})

test('on behalf of nobody every tenant table is an error, never an empty list', async () => {
  for (const { name } of await tables(true)) {
    await expect(api`select * from ${api(name)}`, name).rejects.toThrow(
      /invalid input syntax for type uuid|unrecognized configuration parameter/,
    )
  }
})

test('the functions that look across organizations are these and no others', async () => {
  const functions = await database.sql<{ name: string; owner: string; free: boolean }[]>`
    select p.oid::regprocedure::text as name, r.rolname as owner,
      has_function_privilege('public', p.oid, 'execute') as free
    from pg_proc p
    join pg_roles r on r.oid = p.proowner
    where p.pronamespace = 'public'::regnamespace and p.prosecdef
    order by 1`
  const ours = functions.filter(({ owner }) => owner === 'letterloom_definer')
  expect(ours.map(({ name }) => name.replaceAll(',', ', '))).toEqual(SECURITY_DEFINERS)
  const others = functions.filter(({ owner }) => owner !== 'letterloom_definer')
  expect(others.map(({ name }) => name.replaceAll(',', ', '))).toEqual(OWNERS)
  expect(functions.filter(({ free }) => free)).toEqual([])
  const [role] = await database.sql`
    select rolcanlogin, rolsuper, rolbypassrls from pg_roles where rolname = 'letterloom_definer'`
  expect(role).toEqual({ rolcanlogin: false, rolsuper: false, rolbypassrls: false })
})

test('owner_of knows each resource that the API asks for, and tells whose it is', async () => {
  const asked = trackedFiles()
    .filter((path) => /^(?:api|src\/core)\/.*\.ts$/.test(path))
    .flatMap((path) => [
      ...readFileSync(join(root, path), 'utf8').matchAll(/\bmissing\(\w+, '(\w+)'/g),
    ])
    .map(([, kind]) => kind ?? '')
  const resources = await database.admin<{ kind: string; source: string }[]>`
    select kind, source::text as source
    from resources
    order by kind collate "C"`
  expect(resources.map(({ kind }) => kind)).toEqual([...new Set(asked)].sort())
  for (const [kind, source] of [
    ['contact', 'contacts'],
    ['batch', 'batches'],
  ]) {
    const rows = await database.admin`
      select organization_id, owner_of(${kind ?? ''}, id) as owner from ${api(source ?? '')}`
    expect(new Set(rows.map(({ owner }) => owner))).toEqual(new Set([alice, charlie]))
    const wrong = rows.filter(({ organizationId, owner }) => organizationId !== owner)
    guarantee(() => expect(wrong).toEqual([]))
  }
  // A resource is looked for by its id alone, without a scan.
  const unindexed = await database.admin`
    select kind
    from resources
    where not exists (
      select
      from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where i.indrelid = source and i.indisunique and i.indnkeyatts = 1 and a.attname = 'id'
    )`
  expect(unindexed).toEqual([])
  for (const kind of ['users', 'contacts; drop table contacts', '', null]) {
    expect(await asAlice()`select owner_of(${kind}, ${uuidv7()}) as owner`).toEqual([
      { owner: null },
    ])
  }
})

test('only migrations make resources and protect tables', async () => {
  const worker = connectAs(database.url, { name: 'tenancy', role: 'letterloom_worker', max: 1 })
  try {
    for (const sql of [asAlice(), worker]) {
      for (const statement of [
        sql`insert into resources values ('user', 'users')`,
        sql`select kind from resources`,
        sql`select make_resource('users', 'user')`,
        sql`select protect_tenant_table('users')`,
        sql`select make_security_definer('owner_of(text, uuid)')`,
      ]) {
        await expect(statement).rejects.toMatchObject({ code: REFUSED })
      }
    }
  } finally {
    await worker.end()
  }
})

test('the worker’s role sees every organization and can make and drop partitions, and owns nothing', async () => {
  const worker = connectAs(database.url, { name: 'worker', role: 'letterloom_worker', max: 1 })
  const [seen] = await worker<{ organizations: number; owns: boolean }[]>`
    select count(distinct organization_id) as organizations,
      exists (select from pg_class c join pg_roles r on r.oid = c.relowner
        where r.rolname = current_user) as owns
    from contacts`
  expect(seen).toEqual({ organizations: 2, owns: false })
  await worker`select make_partition('outbox', '2031-01-01', '2031-01-01', '2031-01-02')`
  await expect(
    worker`select make_partition('contacts', '2031-01-01', '2031-01-01', '2031-01-02')`,
  ).rejects.toThrow('no daily partitions')
  await expect(worker`select drop_partition('contacts', '2024-01-01')`).rejects.toThrow(
    'no daily partitions',
  )
  await expect(worker`select drop_partition('outbox', current_date - 1)`).rejects.toThrow(
    'too young',
  )
  await worker`select make_partition('outbox', '2024-01-01', '2024-01-01', '2024-01-02')`
  expect(await worker`select drop_partition('outbox', '2024-01-01') as was_there`).toEqual([
    { wasThere: true },
  ])
  expect(await worker`select drop_partition('outbox', '2024-01-01') as was_there`).toEqual([
    { wasThere: false },
  ])
  await expect(worker`create table mine (id int)`).rejects.toMatchObject({ code: REFUSED })
  await worker.end()
})
