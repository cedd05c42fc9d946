import type { Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'

/** A drain of a connection's single mail. */
export interface Drain {
  organizationId: Uuid
  connectionId: Uuid
  drainId: Uuid
  /** False: a worker's own, which sends transactional mail and gives way to the dispatcher. */
  isDispatcher: boolean
}

/**
 * Notes that a drain sends the connection's mail for the next `forMs`. Returns false if another one
 * does: then a worker's own drain must not begin, or go on.
 *
 * Nothing but cost depends on it. The claim decides which drain gets a mail.
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

/** The drain has ended: mail that comes now needs another one. */
export const release = (sql: Sql, { organizationId, connectionId, drainId }: Drain) => sql`
  delete from mail_drains
  where organization_id = ${organizationId} and connection_id = ${connectionId}
    and held_by = ${drainId}`
