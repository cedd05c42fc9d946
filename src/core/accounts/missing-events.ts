import * as missingEvents from '../../store/accounts/missing-events.ts'
import * as notices from '../../store/accounts/notices.ts'
import { type Sql, transact } from '../../store/db/sql.ts'

/**
 * Quiet time of a connection that counts as missing events. The first event of a mail comes within
 * seconds.
 */
const QUIET_MS = 15 * 60_000
const GRACE_MS = 60_000

/**
 * Records connections that send but get no events for 15 minutes, and notifies their owners: once
 * until events come again, and at most once a day. Returns up to `limit` of them.
 */
export async function noteMissingEvents(
  sql: Sql,
  limit: number,
): Promise<missingEvents.QuietConnection[]> {
  const look = { quietMs: QUIET_MS, graceMs: GRACE_MS, limit }
  const notedConnections: missingEvents.QuietConnection[] = []
  for (const connection of await missingEvents.list(sql, look)) {
    const isNoted = await transact(sql, async (tx) => {
      const since = await missingEvents.mark(tx, connection)
      if (since === undefined) return false
      const { organizationId, connectionId, accountId, region, hasQueue } = connection
      await notices.put(tx, {
        organizationId,
        kind: 'events_missing',
        subject: connectionId,
        period: since.slice(0, 'YYYY-MM-DD'.length),
        data: { connectionId, accountNumber: accountId, region, hasQueue },
        at: since,
      })
      return true
    })
    if (isNoted) notedConnections.push(connection)
  }
  return notedConnections
}
