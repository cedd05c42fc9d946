import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildIndex, indexOf } from '../../src/store/db/build-index.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { connect, isLockUnavailable, type Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'

let database: TestDatabase
let owner: Sql
let other: Sql
beforeAll(async () => {
  database = await createDatabase()
  const url = loginUrl(database.url, 'letterloom_owner')
  owner = connect(url, { name: 'migrate', max: 3 })
  other = connect(url, { name: 'migrate-other', max: 3 })
})
afterAll(async () => {
  await Promise.all([owner.end(), other.end()])
  await database.drop()
})

const LOCK_MS = 1_000
const RESTORES = '0140_restores.sql'

/** As if the migration had never run. */
const undo = async () => {
  await database.admin`delete from schema_migrations where name = ${RESTORES}`
  await database.admin`
    alter table ledger_beats drop column lost_since, drop column held_at, drop column marked_at`
}

test('a migration waits for a lock in short tries, and whoever comes meanwhile does not wait behind it', async () => {
  await undo()
  let release = (): void => {}
  const reading = database.sql.begin(async (tx) => {
    await tx`select * from ledger_beats`
    await new Promise<void>((resolve) => (release = resolve))
  })
  const migrating = migrate(owner, { tryAgainMs: 50 })
  // It has tried, and waits, and others read the table: at most as long as one try takes.
  await until(async () => {
    const waits = await database.admin`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'migrate'
        and wait_event_type = 'Lock'`
    return waits.length > 0
  })
  await database.sql`select beat from ledger_beats`
  const [pending] = await database.admin<{ count: number }[]>`
    select count(*)::integer from schema_migrations where name = ${RESTORES}`
  expect(pending?.count).toBe(0)
  release()
  await reading
  expect(await migrating).toEqual([RESTORES])
})

test('migrations that are started twice run once', async () => {
  await undo()
  const both = await Promise.all([migrate(owner), migrate(other)])
  expect(both.flat()).toEqual([RESTORES])
})

test('a migration that is killed in the middle has changed nothing, and the next one runs it', async () => {
  await undo()
  let release = (): void => {}
  const reading = database.sql.begin(async (tx) => {
    await tx`select * from ledger_beats`
    await new Promise<void>((resolve) => (release = resolve))
  })
  const killed = migrate(other).then(
    () => 'ran',
    () => 'killed',
  )
  await until(async () => {
    const [ended] = await database.admin<{ count: number }[]>`
      select count(pg_terminate_backend(pid))::integer
      from pg_stat_activity
      where datname = current_database() and application_name = 'migrate-other'
        and wait_event_type = 'Lock'`
    return (ended?.count ?? 0) > 0
  })
  expect(await killed).toBe('killed')
  release()
  await reading
  expect(await migrate(owner)).toEqual([RESTORES])
})

test('an index is made while others write, and one that was left behind is made anew', async () => {
  const statement = 'create index concurrently contacts_trial on contacts (organization_id, email);'
  const index = indexOf(`-- Why.\n${statement}\n`)
  if (!index) throw new Error('it is an index')
  expect(index).toEqual({
    name: 'contacts_trial',
    table: 'contacts',
    columns: '(organization_id, email)',
    isUnique: false,
  })
  expect(indexOf('create index plain on contacts (id);')).toBeUndefined()
  const { organizationId } = await seedOrganization(database.sql)

  await seedContacts(database.sql, organizationId, 1)

  // Cut off: Postgres waits for those who were writing before the index is valid.
  let release = (): void => {}
  const writing = database.sql.begin(async (tx) => {
    await tx`update contacts set company = 'Analytical' where organization_id = ${organizationId}`
    await new Promise<void>((resolve) => (release = resolve))
  })
  const cut = buildIndex(other, index, LOCK_MS).catch(() => 'cut')
  await until(async () => {
    const [ended] = await database.admin<{ count: number }[]>`
      select count(pg_terminate_backend(a.pid))::integer
      from pg_stat_progress_create_index p
      join pg_stat_activity a on a.pid = p.pid
      where p.datname = current_database() and p.phase like 'waiting%'`
    return (ended?.count ?? 0) > 0
  })
  expect(await cut).toBe('cut')
  // A writer is not kept out while it is made.
  const making = Promise.all([buildIndex(owner, index, LOCK_MS), buildIndex(other, index, LOCK_MS)])
  await database.sql`
    insert into contacts (organization_id, id, email, email_status)
    values (${organizationId}, ${uuidv7()}, 'late@example.com', 'active')`
  release()
  await writing
  await making
  const [made] = await database.admin<{ valid: boolean }[]>`
    select indisvalid as valid from pg_index where indexrelid = 'contacts_trial'::regclass`
  expect(made).toEqual({ valid: true })
  await owner`drop index contacts_trial`
})

test('of a partitioned table it is made partition by partition, and later ones have it', async () => {
  const statement =
    'create unique index concurrently messages_trial\n  on messages (organization_id, id, bucket, state);'
  const index = indexOf(statement)
  if (!index) throw new Error('it is an index')

  // Whoever writes for long is not waited for, so that nobody waits behind it.
  await database.sql.begin(async (tx) => {
    await tx`update messages set retried = false`
    await expect(buildIndex(owner, index, 10)).rejects.toSatisfy(isLockUnavailable)
  })
  await Promise.all([buildIndex(owner, index, LOCK_MS), buildIndex(other, index, LOCK_MS)])
  await buildIndex(owner, index, LOCK_MS)

  await createPartitions(database.sql, Date.now() + 30 * 86_400_000)
  const rows = await database.admin<{ valid: boolean; partitions: number; indexed: number }[]>`
    select x.indisvalid as valid,
      (select count(*)::integer from pg_inherits where inhparent = x.indrelid) as partitions,
      (select count(*)::integer from pg_inherits where inhparent = x.indexrelid) as indexed
    from pg_index x
    where x.indexrelid = 'messages_trial'::regclass`
  const [row] = rows
  expect(row?.valid).toBe(true)
  expect(row?.partitions).toBeGreaterThan(9)
  expect(row?.indexed).toBe(row?.partitions)
})
