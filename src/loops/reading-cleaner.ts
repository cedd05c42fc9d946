import { deleteOld } from '../store/provider-readings.ts'
import type { Sql } from '../store/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 30_000

/** Deletes what accounts answered a minute ago, in bounded sets. */
export const startReadingCleaner = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'reading-cleaner',
    idleMs: EVERY_MS,
    log,
    round: async () => (await deleteOld(sql)) > 0,
  })
