import { setTimeout as sleep } from 'node:timers/promises'
import { isDeadlock, type Sql } from './sql.ts'

const LOOK_MS = 250

interface Index {
  name: string
  table: string
  /** What follows the table's name. */
  columns: string
  isUnique: boolean
}

const CONCURRENT = /^create (unique )?index concurrently (\w+)\s+on (\w+) ([^;]+);$/m

/** The index that a migration makes while others write. Undefined: it makes none. */
export function indexOf(text: string): Index | undefined {
  const [, unique, name, table, columns] = CONCURRENT.exec(text) ?? []
  return name === undefined || table === undefined || columns === undefined
    ? undefined
    : { name, table, columns, isUnique: unique !== undefined }
}

/**
 * Makes an index of a big table without keeping writers out. That works in no transaction, so it
 * may be cut off and leave an index behind that is not valid: it is dropped and made anew. Any
 * number of processes may call it at once: one builds, the others wait for it.
 *
 * Postgres makes no index of a partitioned table that way: one is made of each partition, and they
 * become its index. That needs locks for a moment, and waits `lockMs` for them at most; then it
 * throws, and can be called again.
 */
export async function buildIndex(sql: Sql, index: Index, lockMs: number): Promise<void> {
  const partitions = await listPartitions(sql, index.table)
  if (partitions === undefined) return buildPlain(sql, index)
  const { name, table, columns } = index
  const inMoment = (statement: string) =>
    sql.begin(async (tx) => {
      // Postgres lets two processes make one index at once, and fails one of them.
      await tx`select pg_advisory_xact_lock(hashtext(${name}))`
      await tx`select set_config('lock_timeout', ${`${lockMs}ms`}, true)`
      await tx.unsafe(statement)
    })
  // Partitions that are made from now on have it.
  await inMoment(
    `create ${uniqueness(index)}index if not exists ${name} on only ${table} ${columns}`,
  )
  for (const partition of partitions) {
    if (await isIndexed(sql, partition, name)) continue
    const part = { ...index, name: `${name}${partition.slice(table.length)}`, table: partition }
    await buildPlain(sql, part)
    await inMoment(`alter index ${name} attach partition ${part.name}`)
  }
}

/** Partitions are named after their table: `messages_20261127`. Undefined: it has none. */
async function listPartitions(sql: Sql, table: string): Promise<string[] | undefined> {
  const [kind] = await sql<{ isPartitioned: boolean }[]>`
    select relkind = 'p' as is_partitioned from pg_class where oid = to_regclass(${table})`
  if (kind?.isPartitioned !== true) return undefined
  const rows = await sql<{ name: string }[]>`
    select c.relname as name
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table})
    order by c.relname`
  return rows.map(({ name }) => name)
}

async function isIndexed(sql: Sql, partition: string, name: string): Promise<boolean> {
  const rows = await sql`
    select from pg_inherits i
    join pg_index x on x.indexrelid = i.inhrelid
    where i.inhparent = to_regclass(${name}) and x.indrelid = to_regclass(${partition})`
  return rows.length > 0
}

const uniqueness = ({ isUnique }: Index): string => (isUnique ? 'unique ' : '')

async function buildPlain(sql: Sql, index: Index): Promise<void> {
  const { name, table, columns } = index
  for (;;) {
    const state = await stateOf(sql, name)
    if (state === 'valid') return
    if (state === 'being built') {
      await sleep(LOOK_MS)
      continue
    }
    try {
      if (state === 'left behind') await sql.unsafe(`drop index concurrently if exists ${name}`)
      await sql.unsafe(
        `create ${uniqueness(index)}index concurrently ${name} on ${table} ${columns}`,
      )
    } catch (error) {
      // Another process has begun meanwhile, which the next look shows, or both waited in a circle.
      const isAnothers = ['valid', 'being built'].includes(await stateOf(sql, name))
      if (!isAnothers && !isDeadlock(error)) throw error
    }
  }
}

type State = 'missing' | 'valid' | 'being built' | 'left behind'

async function stateOf(sql: Sql, name: string): Promise<State> {
  const [row] = await sql<{ state: State }[]>`
    select case
        when i.indisvalid then 'valid'
        when exists (
          select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid
        ) then 'being built'
        else 'left behind'
      end as state
    from pg_index i
    where i.indexrelid = to_regclass(${name})`
  return row?.state ?? 'missing'
}
