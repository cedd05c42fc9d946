import { Gauge, type Registry } from 'prom-client'
import type { Log } from '../../loops/loop.ts'
import { type Lags, readLags } from '../../store/platform/lags.ts'
import type { Sql } from '../../store/db/sql.ts'

/** Largest count of overdue executions. An alarm needs no more. */
const MOST = 10_000
/** Time for which the same figures are returned. */
const KEPT_MS = 5_000

const GAUGES = [
  ['outbox_lag_seconds', 'Age of the oldest outbox message that is not delivered', 'outboxSeconds'],
  ['batches_stalled_seconds', 'Since the most stalled of the live batches came on', 'batchSeconds'],
  ['executions_overdue', `Executions that should have been woken, to ${MOST}`, 'overdue'],
  [
    'membership_lag_seconds',
    'Since the first of the contacts changed whose segments are not brought up to date',
    'membershipSeconds',
  ],
  [
    'segments_set_aside',
    'Segments that nobody enters or leaves because their conditions cannot be asked in time',
    'segmentsSetAside',
  ],
  [
    'delivery_events_lag_seconds',
    'Since the oldest delivery event was received that is not applied',
    'eventSeconds',
  ],
  ['executions_overdue_seconds', 'Since the first of them was due', 'overdueSeconds'],
] as const satisfies readonly (readonly [string, string, keyof Lags])[]

/**
 * Measures how far the system is behind, from Postgres at each request. Every worker returns the
 * same. Without Postgres the figures are absent.
 */
export function measureLags(registry: Registry, { sql, log }: { sql: Sql; log: Log }): void {
  let reading: Promise<Lags | undefined> | undefined
  let readAt = 0
  const read = (): Promise<Lags | undefined> => {
    if (reading === undefined || Date.now() - readAt > KEPT_MS) {
      readAt = Date.now()
      reading = readLags(sql, MOST).catch((error: unknown) => {
        log.warn({ err: error }, 'the lags could not be read')
        return undefined
      })
    }
    return reading
  }
  for (const [name, help, figure] of GAUGES) {
    const gauge = new Gauge({
      name: `letterloom_${name}`,
      help,
      registers: [],
      async collect() {
        const lags = await read()
        if (lags) this.set(lags[figure])
        else this.remove()
      },
    })
    registry.registerMetric(gauge)
  }
}
