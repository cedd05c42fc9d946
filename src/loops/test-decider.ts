import { decideUndecided } from '../core/batches/ab-test.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const TESTS = 50
const IDLE_MS = 5_000

/** Decides A/B tests that are fully sent, when their time has come. */
export const startTestDecider = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'test-decider',
    idleMs: IDLE_MS,
    log,
    round: async () => (await decideUndecided(sql, TESTS)) === TESTS,
  })
