import { decideUndecided } from '../core/batches/ab-test.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const TESTS = 50
const IDLE_MS = 5_000

/** Names the winners of A/B tests of which nothing is left to send, when their time has come. */
export const startTestDecider = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'test-decider',
    idleMs: IDLE_MS,
    log,
    round: async () => (await decideUndecided(sql, TESTS)) === TESTS,
  })
