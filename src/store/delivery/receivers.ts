import type { Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'

interface Beat {
  /** Id of this process. */
  id: Uuid
  gapMs: number
  /** A request failed that could not be assigned to a connection. */
  interrupted: boolean
}

/**
 * Records that this process receives delivery events. If no process did so for `gapMs`, or this one
 * did not, an interruption ends now.
 */
export const beat = (sql: Sql, { id, gapMs, interrupted }: Beat) => sql`
  insert into receivers as r (id, beat_at, interrupted_until)
  select ${id}, clock_timestamp(),
    case
      when ${interrupted} or max(beat_at) is null
        or max(beat_at) < statement_timestamp() - ${gapMs} * interval '1 millisecond'
      then clock_timestamp()
    end
  from receivers
  on conflict (id) do update
  set beat_at = excluded.beat_at,
    interrupted_until = case
      when ${interrupted}
        or r.beat_at < excluded.beat_at - ${gapMs} * interval '1 millisecond'
      then excluded.beat_at
      else r.interrupted_until
    end`

/** Records that this process ends regularly: its silence is no interruption. */
export const stop = (sql: Sql, id: Uuid) => sql`
  update receivers
  set beat_at = clock_timestamp(), stopped_at = clock_timestamp()
  where id = ${id}`

/** Records that an event of this connection was refused: the event bus will try again. */
export const noteRefusal = (sql: Sql, organizationId: Uuid, connectionId: Uuid) => sql`
  update connections
  set events_refused_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${connectionId}`
