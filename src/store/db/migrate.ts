import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrationsFolder } from './migrations-folder.ts'
import { createPartitions } from './partitions.ts'
import { makeRoles } from './roles.ts'
import { buildIndex, indexOf } from './build-index.ts'
import { isLockUnavailable, type Sql, type Transaction } from './sql.ts'

/** An arbitrary number that all processes share. Migrators wait for each other on this lock. */
const LOCK = 7_305_193
/**
 * A statement that waits for a table's lock makes everybody wait behind it. A migration rather
 * gives up after so long and is tried again, until it gets all the locks that it needs.
 */
const LOCK_MS = 1_000
const TRIES = 60
const TRY_AGAIN_MS = 2_000
const MAKE_ANEW =
  '`npm start -- --fresh` makes the database of npm start anew and deletes its data; make one of ' +
  'your own (DATABASE_URL) anew with dropdb and createdb.'

interface Migration {
  number: number
  name: string
  text: string
  /** SHA-256 of the text, in hex. */
  hash: string
}

/**
 * Brings the database to the newest schema and creates the partitions of the coming days.
 *
 * Files `NNNN_name.sql` run in order, each in one transaction that inserts its number first; one
 * that makes an index concurrently runs outside of any (build-index.ts). They wait for the locks of
 * tables a second at most, and then are tried again: programs are at work meanwhile.
 * Migrations go forward only: a file that ran is never edited, renamed or deleted, and what it did
 * is changed by a later file. A database that another file with one of our numbers made is refused
 * before anything of it changes: the files were put together anew before the first release. Returns
 * the names of the files that ran now.
 *
 * The roles come first. If they are not as required and the caller may not change them, the error
 * says who may.
 */
export async function migrate(
  sql: Sql,
  { tryAgainMs = TRY_AGAIN_MS }: { tryAgainMs?: number } = {},
): Promise<string[]> {
  const migrations = await readMigrations()
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    await tx`create table if not exists schema_migrations (
      number integer primary key, name text not null, hash text not null, ran_at timestamptz(3) not null default now())`
    await refuseOthers(tx, migrations)
    await makeRoles(tx)
  })
  const ran: string[] = []
  for (const migration of migrations) {
    if (await runPatiently(sql, migrations, { migration, tryAgainMs })) ran.push(migration.name)
  }
  await createPartitions(sql)
  return ran
}

export async function pendingMigrations(sql: Sql): Promise<string[]> {
  const ran = await sql<{ name: string }[]>`
    select name from schema_migrations`
  const names = new Set(ran.map(({ name }) => name))
  return (await listFiles()).filter((name) => !names.has(name))
}

/** Numbers beyond ours are those of a later release, which an earlier one can work with. */
async function refuseOthers(tx: Transaction, migrations: Migration[]): Promise<void> {
  const ran = await tx<{ number: number; name: string; hash: string; database: string }[]>`
    select number, name, hash, current_database() as database
    from schema_migrations
    order by number`
  const ours = new Map(migrations.map((migration) => [migration.number, migration]))
  for (const { number, name, hash, database } of ran) {
    const own = ours.get(number)
    if (own === undefined || (own.name === name && own.hash === hash)) continue
    throw new Error(
      `The database ${database} was made by another development version: its ${name} is not the ` +
        'file of this version. Nothing was changed. A migration that ran is never edited: a change ' +
        `of it is a new migration. ${MAKE_ANEW}`,
    )
  }
}

async function readMigrations(): Promise<Migration[]> {
  return Promise.all(
    (await listFiles()).map(async (name) => {
      const text = await readFile(new URL(name, migrationsFolder()), 'utf8')
      const hash = createHash('sha256').update(text).digest('hex')
      return { number: Number(name.slice(0, 4)), name, text, hash }
    }),
  )
}

async function listFiles(): Promise<string[]> {
  return (await readdir(migrationsFolder())).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
}

async function runPatiently(
  sql: Sql,
  migrations: Migration[],
  { migration, tryAgainMs }: { migration: Migration; tryAgainMs: number },
): Promise<boolean> {
  const index = indexOf(migration.text)
  for (let tries = 1; ; tries++) {
    try {
      if (index) await buildIndex(sql, index, LOCK_MS)
      return await run(sql, migrations, { ...migration, text: index ? '' : migration.text })
    } catch (error) {
      if (!isLockUnavailable(error)) throw error
      if (tries === TRIES) throw new Error(lockRefusal(migration), { cause: error })
      await sleep(tryAgainMs)
    }
  }
}

const lockRefusal = ({ name }: Migration): string =>
  `${name} did not get the locks that it needs in ${TRIES} tries, and nothing of it was changed. ` +
  'Look for old transactions (letterloom doctor), end them, and migrate again.'

/** True when the file ran now, false when it had run before. */
async function run(sql: Sql, migrations: Migration[], migration: Migration): Promise<boolean> {
  const { number, name, hash, text } = migration
  return sql.begin<boolean>(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    // Another process may have migrated meanwhile.
    await refuseOthers(tx, migrations)
    const { count } = await tx`
      insert into schema_migrations (number, name, hash)
      values (${number}, ${name}, ${hash})
      on conflict (number) do nothing`
    if (count === 0 || text === '') return count > 0
    await tx`select set_config('lock_timeout', ${`${LOCK_MS}ms`}, true)`
    await tx.unsafe(text)
    return true
  })
}
