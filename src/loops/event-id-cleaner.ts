import { deleteOld } from '../store/event-ids.ts'
import type { Sql } from '../store/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 3_600_000

/**
 * Deletes the callers' own ids of events that are no longer remembered, in bounded sets: they may
 * name somebody, and one is stored for each event.
 */
export const startEventIdCleaner = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'event-id-cleaner',
    idleMs: EVERY_MS,
    log,
    round: async () => (await deleteOld(sql)) > 0,
  })
