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
 * Records that Postgres was restored from a backup whose last beat was `agoMs` before now. Silence
 * before now proves nothing, and nothing is sent until the hold ends. Returns the time.
 */
export async function noteRestored(sql: Executor, agoMs: number): Promise<string> {
  const [row] = await sql<{ restoredAt: string }[]>`
    update ledger_beats
    set restored_at = clock_timestamp(), held_at = clock_timestamp(), marked_at = null,
      lost_since = clock_timestamp() - ${agoMs} * interval '1 millisecond'
    returning restored_at`
  if (!row) throw new Error('the ledger has no beat')
  return row.restoredAt
}

/** Makes the database a new one for Temporal, whose copy may be that of another. */
export const beginAnew = (sql: Executor) => sql`
  update ledger_beats set ledger = gen_random_uuid(), beat = 0`

/** A restore, and how far the work after it is. */
interface Restore {
  restoredAt: string
  /** Later commits may be lost. */
  lostSince: string
  /** Null: mail is sent again. */
  heldAt: string | null
  markedAt: string | null
}

/** Returns the last restore. Undefined: there was none. */
export async function findRestore(sql: Executor): Promise<Restore | undefined> {
  const [row] = await sql<Restore[]>`
    select restored_at, coalesce(lost_since, restored_at) as lost_since, held_at, marked_at
    from ledger_beats
    where restored_at is not null`
  return row
}

export const recordMarked = (sql: Executor, { restoredAt }: Restore) => sql`
  update ledger_beats set marked_at = clock_timestamp() where restored_at = ${restoredAt}`

/** Lets mail leave again. False: another restore was noticed meanwhile. */
export async function endHold(sql: Executor, { restoredAt }: Restore): Promise<boolean> {
  const { count } = await sql`
    update ledger_beats set held_at = null where restored_at = ${restoredAt}`
  return count > 0
}
