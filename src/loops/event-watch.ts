import { noteMissingEvents } from '../core/accounts/missing-events.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 30_000
const CONNECTIONS = 100

/**
 * Notices connections whose delivery events have stopped. Without events nobody learns of bounces.
 */
export const startEventWatch = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'event-watch',
    idleMs: EVERY_MS,
    log,
    round: async () => {
      const notedConnections = await noteMissingEvents(sql, CONNECTIONS)
      for (const { connectionId, lastEventReceivedAt } of notedConnections) {
        log.warn({ connectionId, lastEventReceivedAt }, 'delivery events are missing')
      }
      return notedConnections.length === CONNECTIONS
    },
  })
