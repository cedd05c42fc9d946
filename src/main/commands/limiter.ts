import { createLimiter, type Limiter } from '../../../api/limits/limiter.ts'
import type { Log } from '../../loops/loop.ts'
import { connect } from '../../store/db/sql.ts'

/** Connections: one for the statement that decides, and one for deletions. */
const POOL = {
  name: 'letterloom-limiter',
  role: 'letterloom_api',
  max: 2,
  statementTimeoutMs: 2_000,
} as const

export const limiterOf = (databaseUrl: string, log: Log, onUnlimited: () => void): Limiter =>
  createLimiter({ open: () => connect(databaseUrl, POOL), log, onUnlimited })
