import { createLimiter, type Limiter } from '../../api/limits/limiter.ts'
import type { Window } from '../../api/limits/decision.ts'
import { connectAs } from './logins.ts'

/** One API process' limiter. Its parent says what to take and the time. */
const [databaseUrl = ''] = process.argv.slice(2)
export interface Order {
  id: number
  subject: string
  windows: Window[]
  count: number
  /** Milliseconds of the test's clock. */
  at: number
}
export interface Report {
  id: number
  allowed: boolean[]
  remaining: number[]
}

let clock = 0
const limiter: Limiter = createLimiter({
  open: () => connectAs(databaseUrl, { name: 'limiter', role: 'letterloom_api', max: 2 }),
  log: { error: (about, message) => console.error(message, about) },
  deadlineMs: 30_000,
  onUnlimited: () => process.send?.('the store failed'),
  now: () => clock,
})

process.on('message', (order: Order | 'close') => {
  if (order === 'close') {
    void limiter.close().then(() => process.exit(0))
    return
  }
  clock = Math.max(clock, order.at)
  void Promise.all(
    Array.from({ length: order.count }, () =>
      Promise.resolve(limiter.take(order.subject, order.windows)),
    ),
  ).then((decisions) => {
    const report: Report = {
      id: order.id,
      allowed: decisions.map(({ allowed }) => allowed),
      remaining: decisions.map(({ nearest }) => nearest.remaining),
    }
    process.send?.(report)
  })
})
process.send?.('ready')
