import type { Sql } from '../../src/store/db/sql.ts'

/** Marks the events of all answered mails and probes of the connection as arrived. */
export async function letAllSpeak(sql: Sql, { connectionId }: { connectionId: string }) {
  await sql`
    update answered_counts
    set arrived = answered, last_arrival_at = coalesce(last_arrival_at, slot)
    where connection_id = ${connectionId}`
  await sql`
    update probes
    set first_event_at = answered_at
    where connection_id = ${connectionId} and first_event_at is null`
}
