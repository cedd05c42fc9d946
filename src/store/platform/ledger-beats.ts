import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

export interface LedgerBeat {
  ledger: Uuid
  beat: number
  /** Milliseconds since the last beat. */
  agoMs: number
}

export async function read(sql: Executor): Promise<LedgerBeat> {
  const [row] = await sql<LedgerBeat[]>`
    select ledger, beat,
      least(extract(epoch from clock_timestamp() - beat_at) * 1000, 1e15)::float8 as ago_ms
    from ledger_beats`
  if (!row) throw new Error('the ledger has no beat')
  return row
}

/** Counts on to `next`. False: another process has counted meanwhile. */
export async function countOn(
  sql: Executor,
  { ledger, beat }: Pick<LedgerBeat, 'ledger' | 'beat'>,
  next: number,
): Promise<boolean> {
  const { count } = await sql`
    update ledger_beats
    set beat = ${next}, beat_at = clock_timestamp()
    where ledger = ${ledger} and beat = ${beat}`
  return count > 0
}

/**
 * Records that Postgres was restored from a backup, so that silence before now proves nothing.
 * Returns the time.
 */
export async function noteRestored(sql: Executor): Promise<string> {
  const [row] = await sql<{ restoredAt: string }[]>`
    update ledger_beats set restored_at = clock_timestamp() returning restored_at`
  if (!row) throw new Error('the ledger has no beat')
  return row.restoredAt
}
