import type { Uuid } from '../../runtime/ids.ts'
import { type Executor, type Sql, transact } from '../db/sql.ts'

/**
 * Limits of concurrent calls over all processes: of one organization, and of one organization to
 * the same host.
 */
export const MOST_CALLS = 50
export const MOST_CALLS_PER_HOST = 10
/** Age of an abandoned row, whose execution ended between two tries. */
const FORGOTTEN = '1 day'

export interface CallKey {
  organizationId: Uuid
  id: Uuid
}

/**
 * Acquires a slot for a call to `host` until `leaseMs` from now, and counts one more try, beginning
 * with 1. Undefined: all slots are in use, and nothing was counted. A call that holds a slot and
 * asks again, since its worker was lost, keeps it.
 *
 * One transaction of an organization at a time, since two concurrent ones would both find the last
 * slot. It waits for nothing else meanwhile.
 */
export const acquire = (
  sql: Sql,
  { organizationId, id }: CallKey,
  { host, leaseMs }: { host: string; leaseMs: number },
): Promise<number | undefined> =>
  transact(sql, async (tx) => {
    await tx`
      select pg_advisory_xact_lock(hashtextextended('webhook_calls ' || ${organizationId}, 0))`
    const [row] = await tx<{ tries: number }[]>`
      with forgotten as (
        delete from webhook_calls
        where organization_id = ${organizationId} and id <> ${id}
          and lease_until < statement_timestamp() - ${FORGOTTEN}::interval
      )
      insert into webhook_calls (organization_id, id, host, lease_until)
      select ${organizationId}::uuid, ${id}::uuid, ${host},
        clock_timestamp() + ${leaseMs} * interval '1 millisecond'
      where (
        select count(*) < ${MOST_CALLS}
          and count(*) filter (where host = ${host}) < ${MOST_CALLS_PER_HOST}
        from webhook_calls
        where organization_id = ${organizationId} and id <> ${id}
          and lease_until > statement_timestamp()
      )
      on conflict (organization_id, id) do update
      set host = excluded.host, lease_until = excluded.lease_until,
        tries = webhook_calls.tries + 1, next_try_at = null
      returning tries`
    return row?.tries
  })

/**
 * Releases the slot of this try. The number of the try is stored for the next one, with the failure
 * and the time at which the next is due (`failure`; absent: nothing is known). If another process
 * has acquired the slot since, it keeps it.
 */
export const release = (
  sql: Sql,
  { organizationId, id }: CallKey,
  tries: number,
  failure?: { error: string; waitMs: number },
) => sql`
  update webhook_calls
  set lease_until = clock_timestamp() - interval '1 millisecond',
    last_error = coalesce(${failure?.error ?? null}, last_error),
    next_try_at = clock_timestamp() + ${failure?.waitMs ?? null}::float8 * interval '1 millisecond'
  where organization_id = ${organizationId} and id = ${id} and tries = ${tries}`

export interface Progress {
  calls: number
  lastError: string | null
  nextTryAt: string | null
}

/** Progress of a call. Undefined: it has not begun, or its outcome is known. */
export async function find(
  sql: Executor,
  { organizationId, id }: CallKey,
): Promise<Progress | undefined> {
  const [row] = await sql<Progress[]>`
    select tries as calls, last_error, next_try_at
    from webhook_calls
    where organization_id = ${organizationId} and id = ${id}`
  return row
}

export const finish = (sql: Sql, { organizationId, id }: CallKey) => sql`
  delete from webhook_calls
  where organization_id = ${organizationId} and id = ${id}`
