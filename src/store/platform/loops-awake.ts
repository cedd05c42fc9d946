import type { Sql } from '../db/sql.ts'

/**
 * Announces that a loop looks often for work of the channel for so long. Writers need not send
 * notices.
 */
export const note = (sql: Sql, channel: string, forMs: number) => sql`
  insert into loops_awake as awake (channel, until)
  values (${channel}, clock_timestamp() + ${forMs} * interval '1 millisecond')
  on conflict (channel) do update
  set until = greatest(awake.until, excluded.until)`
