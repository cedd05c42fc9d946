import type { Uuid } from '../ids.ts'
import { type Sql, transact } from './sql.ts'

/** Calls in flight, over all processes: of one organization, and of it to one host. */
export const MOST_CALLS = 50
export const MOST_CALLS_PER_HOST = 10
/** A row that nobody came back for: its execution ended between two tries. */
const FORGOTTEN = '1 day'

/** One visit of a webhook step, for as long as it is tried. */
export interface CallKey {
  organizationId: Uuid
  id: Uuid
}

/**
 * Takes a place for a call to `host` until `leaseMs` from now, and counts it as one more try: the
 * first is 1. Undefined: all places are taken, and nothing was counted. Who holds a place and asks
 * again, since its worker was lost, has it still.
 *
 * Of one organization at a time, since two that count at once would both find the last place. It
 * waits for nothing else meanwhile.
 */
export const take = (
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
          and lease_until < clock_timestamp() - ${FORGOTTEN}::interval
      )
      insert into webhook_calls (organization_id, id, host, lease_until)
      select ${organizationId}::uuid, ${id}::uuid, ${host},
        clock_timestamp() + ${leaseMs} * interval '1 millisecond'
      where (
        select count(*) < ${MOST_CALLS}
          and count(*) filter (where host = ${host}) < ${MOST_CALLS_PER_HOST}
        from webhook_calls
        where organization_id = ${organizationId} and id <> ${id}
          and lease_until > clock_timestamp()
      )
      on conflict (organization_id, id) do update
      set host = excluded.host, lease_until = excluded.lease_until, tries = webhook_calls.tries + 1
      returning tries`
    return row?.tries
  })

/**
 * Gives back the place that was taken for the try of this number; the number is kept for the next
 * one. Another process that has taken it up since keeps its place.
 */
export const release = (sql: Sql, { organizationId, id }: CallKey, tries: number) => sql`
  update webhook_calls
  set lease_until = clock_timestamp() - interval '1 millisecond'
  where organization_id = ${organizationId} and id = ${id} and tries = ${tries}`

/** Forgets a call whose outcome is known. */
export const finish = (sql: Sql, { organizationId, id }: CallKey) => sql`
  delete from webhook_calls
  where organization_id = ${organizationId} and id = ${id}`
