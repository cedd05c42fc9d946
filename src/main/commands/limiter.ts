import { createLimiter, type Limiter } from '../../../api/limits/limiter.ts'
import type { Log } from '../../loops/loop.ts'
import { connect } from '../../store/db/sql.ts'

/** One statement at a time, and one to forget what is old. */
const POOL = {
  name: 'letterloom-limiter',
  role: 'letterloom_api',
  max: 2,
  statementTimeoutMs: 2_000,
} as const

/** Counts for all processes, on connections of its own. */
export const limiterOf = (databaseUrl: string, log: Log, onUnlimited: () => void): Limiter =>
  createLimiter({ open: () => connect(databaseUrl, POOL), log, onUnlimited })
