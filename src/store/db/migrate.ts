import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { migrationsFolder } from './migrations-folder.ts'
import { createPartitions } from './partitions.ts'
import { makeRoles } from './roles.ts'
import type { Sql, Transaction } from './sql.ts'

/** Any number, the same in every process: two migrators wait for each other on it. */
const LOCK = 7_305_193
const MAKE_ANEW =
  '`npm start -- --fresh` makes the database of npm start anew and deletes its data; make one of ' +
  'your own (DATABASE_URL) anew with dropdb and createdb.'

/**
 * Brings the database to the newest schema and makes the partitions of the coming days.
 *
 * Files `NNNN_name.sql` run in order, each in one transaction that inserts its number first.
 * Migrations go forward only: a file that ran is never edited, renamed or deleted, and what it did
 * is changed by a later file. Another hash is an error. So is another name under the same number:
 * the files were put together anew before the first release, and a database that the earlier ones
 * made is refused before anything of it changes. Returns the names of the files that ran now.
 *
 * The roles come first. Where they are not as they should be and the caller may not change that,
 * the error says who may.
 */
export async function migrate(sql: Sql): Promise<string[]> {
  const files = await listFiles()
  const ran: string[] = []
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    await tx`create table if not exists schema_migrations (
      number integer primary key, name text not null, hash text not null, ran_at timestamptz(3) not null default now())`
    await refuseOlder(tx, files)
    // Not left to 0001_db.sql, which takes a refused grant for no harm.
    await makeRoles(tx)
  })
  for (const name of files) {
    const text = await readFile(new URL(name, migrationsFolder()), 'utf8')
    if (await run(sql, name, text)) ran.push(name)
  }
  await createPartitions(sql)
  return ran
}

/** Names of the migrations that this program comes with and the database has not seen. */
export async function pendingMigrations(sql: Sql): Promise<string[]> {
  const ran = await sql<{ name: string }[]>`
    select name from schema_migrations`
  const names = new Set(ran.map(({ name }) => name))
  return (await listFiles()).filter((name) => !names.has(name))
}

/** Numbers beyond ours are those of a later release, which an earlier one can work with. */
async function refuseOlder(tx: Transaction, files: string[]): Promise<void> {
  const ran = await tx<{ number: number; name: string; database: string }[]>`
    select number, name, current_database() as database
    from schema_migrations
    order by number`
  const ours = new Map(files.map((name) => [numberOf(name), name]))
  const other = ran.find(({ number, name }) => (ours.get(number) ?? name) !== name)
  if (other === undefined) return
  const { name, database } = other
  throw new Error(
    `The database ${database} was made by an earlier development version: its ${name} is not a ` +
      `migration of this version. Nothing was changed. ${MAKE_ANEW}`,
  )
}

async function listFiles(): Promise<string[]> {
  return (await readdir(migrationsFolder())).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
}

const numberOf = (name: string): number => Number(name.slice(0, 4))

/** True when the file ran now, false when it had run before. */
async function run(sql: Sql, name: string, text: string): Promise<boolean> {
  const number = numberOf(name)
  const hash = createHash('sha256').update(text).digest('hex')
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    const [inserted] = await tx<{ hash: string }[]>`
      insert into schema_migrations (number, name, hash)
      values (${number}, ${name}, ${hash})
      on conflict (number) do nothing
      returning hash`
    if (!inserted) {
      const [before] = await tx<{ hash: string }[]>`
        select hash from schema_migrations where number = ${number}`
      if (before?.hash !== hash)
        throw new Error(
          `${name} was edited after it ran: write a new migration instead. Is the database one ` +
            `for development, and the file from another branch? ${MAKE_ANEW}`,
        )
      return false
    }
    await tx.unsafe(text)
    return true
  }) as Promise<boolean>
}
