import { deleteOldFailures } from '../store/login-failures.ts'
import type { Sql } from '../store/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 600_000

/** Deletes what is remembered of failed logins a day after the last, in bounded sets. */
export const startLoginFailureCleaner = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'login-failure-cleaner',
    idleMs: EVERY_MS,
    log,
    round: async () => (await deleteOldFailures(sql)) > 0,
  })
