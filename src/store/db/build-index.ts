import { setTimeout as sleep } from 'node:timers/promises'
import { isDeadlock, type Sql } from './sql.ts'

const LOOK_MS = 250

interface Index {
  name: string
  statement: string
}

const CONCURRENT = /^create (?:unique )?index concurrently (\w+) [^;]+;$/m

/** The index that a migration makes while others write. Undefined: it makes none. */
export function indexOf(text: string): Index | undefined {
  const [statement, name] = CONCURRENT.exec(text) ?? []
  return statement === undefined || name === undefined ? undefined : { name, statement }
}

/**
 * Makes an index of a big table without keeping writers out. That works in no transaction, so it
 * may be cut off and leave an index behind that is not valid: it is dropped and made anew. Any
 * number of processes may call it at once: one builds, the others wait for it.
 */
export async function buildIndex(sql: Sql, { name, statement }: Index): Promise<void> {
  for (;;) {
    const state = await stateOf(sql, name)
    if (state === 'valid') return
    if (state === 'being built') {
      await sleep(LOOK_MS)
      continue
    }
    try {
      if (state === 'left behind') await sql.unsafe(`drop index concurrently if exists ${name}`)
      await sql.unsafe(statement)
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
