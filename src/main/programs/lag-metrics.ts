import { Gauge, type Registry } from 'prom-client'
import type { Log } from '../../loops/loop.ts'
import { readLags } from '../../store/platform/lags.ts'
import { MOST_WAITING, readSystemFigures } from '../../store/platform/system-figures.ts'
import type { Sql } from '../../store/db/sql.ts'

/** Largest count of overdue executions. An alarm needs no more. */
const MOST = 10_000
/** Time for which the same figures are returned. */
const KEPT_MS = 5_000

const readFigures = async (sql: Sql) => {
  const lags = await readLags(sql, MOST)
  return { ...lags, ...(await readSystemFigures(sql)) }
}
type Figures = Awaited<ReturnType<typeof readFigures>>

const GAUGES = [
  ['outbox_lag_seconds', 'Age of the oldest outbox message that is not delivered', 'outboxSeconds'],
  ['outbox_waiting', `Outbox messages that are not delivered, to ${MOST_WAITING}`, 'outboxWaiting'],
  ['batches_running', 'Batches that are being sent', 'batchesRunning'],
  ['batches_stalled_seconds', 'Since the most stalled of the live batches came on', 'batchSeconds'],
  ['imports_running', 'Imports that are being written', 'importsRunning'],
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
  [
    'hook_oldest_due_seconds',
    'Since the oldest webhook delivery was due to an endpoint that may be called',
    'hookSeconds',
  ],
  ['hook_gated_endpoints', 'Webhook endpoints that keep failing', 'gatedHooks'],
  ['executions_overdue_seconds', 'Since the first of them was due', 'overdueSeconds'],
  [
    'connections_without_events',
    'Connections that send and hear nothing of their mails',
    'connectionsWithoutEvents',
  ],
  ['claims_in_doubt', 'Claims of which it is not known what was sent', 'claimsInDoubt'],
  ['sending_held', '1: nothing is sent, since Postgres was restored', 'sendingHeld'],
  [
    'partition_days_ahead',
    'Coming days for which all tables have partitions; -1: today has none',
    'partitionDaysAhead',
  ],
  [
    'oldest_transaction_seconds',
    'Time for which the oldest transaction of the database is open',
    'oldestTransactionSeconds',
  ],
  ['postgres_connections', 'Connections that the server of Postgres has', 'connections'],
  ['postgres_connections_most', 'Connections that it may have', 'connectionsMost'],
] as const satisfies readonly (readonly [string, string, keyof Figures])[]

/** Figures with a label. */
const LABELED = [
  [
    'accounts_paused',
    'AWS accounts from which nothing, or no batch, leaves for now, by reason',
    'reason',
    'accountsPaused',
  ],
  ['queue_dead_rows', 'Rows of a queue that were changed and not cleaned up', 'queue', 'deadRows'],
] as const satisfies readonly (readonly [string, string, string, keyof Figures])[]

/**
 * Tells how far the system is behind, and other figures of all organizations together, read from
 * Postgres when they are asked for. Without Postgres they are absent. One process of an
 * installation tells them; `stop` ends that.
 */
export function measureLags(
  registry: Registry,
  { sql, log }: { sql: Sql; log: Log },
): { stop(): Promise<void> } {
  let reading: Promise<Figures | undefined> | undefined
  let readAt = 0
  const read = (): Promise<Figures | undefined> => {
    if (reading === undefined || Date.now() - readAt > KEPT_MS) {
      readAt = Date.now()
      reading = readFigures(sql).catch((error: unknown) => {
        log.warn({ err: error }, 'the lags could not be read')
        return undefined
      })
    }
    return reading
  }
  const single = GAUGES.map(([name, help, figure]) =>
    createGauge({ name, help, read }, (figures) => [{ labels: {}, value: figures[figure] }]),
  )
  const labeled = LABELED.map(([name, help, label, figure]) =>
    createGauge({ name, help, label, read }, (figures) =>
      Object.entries(figures[figure]).map(([key, value]) => ({ labels: { [label]: key }, value })),
    ),
  )
  const names = [...single, ...labeled].map(({ name, gauge }) => {
    registry.registerMetric(gauge)
    return name
  })
  return {
    stop: async () => {
      for (const name of names) registry.removeSingleMetric(name)
    },
  }
}

interface Sample {
  labels: Record<string, string>
  value: number
}

function createGauge(
  given: {
    name: string
    help: string
    label?: string
    read: () => Promise<Figures | undefined>
  },
  samplesOf: (figures: Figures) => Sample[],
) {
  const name = `letterloom_${given.name}`
  const gauge = new Gauge({
    name,
    help: given.help,
    labelNames: given.label === undefined ? [] : [given.label],
    registers: [],
    async collect() {
      const figures = await given.read()
      this.reset()
      if (!figures) {
        if (given.label === undefined) this.remove()
        return
      }
      for (const { labels, value } of samplesOf(figures)) this.set(labels, value)
    },
  })
  return { name, gauge }
}
