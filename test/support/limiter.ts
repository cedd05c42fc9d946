import { createLimiter, type Limiter } from '../../api/limits/limiter.ts'
import { connectAs } from './logins.ts'

/** Long, so that a slow machine does not let a test through. */
const PATIENT_MS = 20_000

/** The API's own limiter on a test's database. Close it before the database is dropped. */
export const startLimiter = (databaseUrl: string): Limiter =>
  createLimiter({
    open: () => connectAs(databaseUrl, { name: 'test-limiter', role: 'letterloom_api', max: 2 }),
    log: { error: () => {} },
    deadlineMs: PATIENT_MS,
  })
