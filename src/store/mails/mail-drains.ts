import type { Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'

/** A drain of a connection's single mail. */
export interface Drain {
  organizationId: Uuid
  connectionId: Uuid
  drainId: Uuid
  /** False: a worker's own drain. It sends transactional mail and yields to the dispatcher. */
  isDispatcher: boolean
}

/**
 * Records that a drain sends the connection's mail for the next `forMs`. Returns false if another
 * drain does. Then a worker's own drain must not begin or go on.
 *
 * Only cost depends on it, since the claim decides which drain gets a mail.
 */
export async function hold(
  sql: Sql,
  { organizationId, connectionId, drainId, isDispatcher }: Drain,
  forMs: number,
): Promise<boolean> {
  const { count } = await sql`
    insert into mail_drains as held (organization_id, connection_id, held_by, is_dispatcher,
      held_until)
    values (${organizationId}, ${connectionId}, ${drainId}, ${isDispatcher},
      clock_timestamp() + ${forMs} * interval '1 millisecond')
    on conflict (organization_id, connection_id) do update
    set held_by = excluded.held_by, is_dispatcher = excluded.is_dispatcher,
      held_until = excluded.held_until
    where excluded.is_dispatcher or held.held_by = excluded.held_by
      or held.held_until <= statement_timestamp()`
  return count > 0
}

/** Ends the hold of a drain. New mail then needs another drain. */
export const release = (sql: Sql, { organizationId, connectionId, drainId }: Drain) => sql`
  delete from mail_drains
  where organization_id = ${organizationId} and connection_id = ${connectionId}
    and held_by = ${drainId}`
