import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createPartitions } from './partitions.ts'
import type { Sql } from './sql.ts'

/** Beside the sources, and one folder further up from the compiled code. */
const FOLDER = ['../../migrations/', '../../../migrations/']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url))
/** Any number, the same in every process: two migrators wait for each other on it. */
const LOCK = 7_305_193

/**
 * Brings the database to the newest schema and makes the partitions of the coming days.
 *
 * Files `NNNN_name.sql` run in order, each in one transaction that inserts its number first. A file
 * that ran is never edited: another hash is an error. Returns the names of those that ran now.
 */
export async function migrate(sql: Sql): Promise<string[]> {
  const files = await listFiles()
  const ran: string[] = []
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    await tx`create table if not exists schema_migrations (
      number integer primary key, name text not null, hash text not null, ran_at timestamptz(3) not null default now())`
  })
  for (const name of files) {
    const text = await readFile(new URL(name, folder()), 'utf8')
    if (await run(sql, name, text)) ran.push(name)
  }
  await createPartitions(sql)
  return ran
}

/** Names of the migrations that this program comes with and the database has not seen. */
export async function pendingMigrations(sql: Sql): Promise<string[]> {
  const ran = await sql<{ number: number }[]>`
    select number from schema_migrations`
  const numbers = new Set(ran.map(({ number }) => number))
  return (await listFiles()).filter((name) => !numbers.has(Number(name.slice(0, 4))))
}

async function listFiles(): Promise<string[]> {
  return (await readdir(folder())).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
}

function folder(): URL {
  if (!FOLDER) throw new Error('the folder of the migrations is missing')
  return FOLDER
}

/** True when the file ran now, false when it had run before. */
async function run(sql: Sql, name: string, text: string): Promise<boolean> {
  const number = Number(name.slice(0, 4))
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
        throw new Error(`${name} was edited after it ran: write a new migration`)
      return false
    }
    await tx.unsafe(text)
    return true
  }) as Promise<boolean>
}
