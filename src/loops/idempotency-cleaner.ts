import { deleteOld } from '../store/idempotency-keys.ts'
import type { Sql } from '../store/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 600_000

/** Deletes answers that are no longer kept under an Idempotency-Key, in bounded sets. */
export const startIdempotencyCleaner = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'idempotency-cleaner',
    idleMs: EVERY_MS,
    log,
    round: async () => (await deleteOld(sql)) > 0,
  })
