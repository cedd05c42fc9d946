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
  [
    'outbox_waiting',
    `Outbox messages that are not delivered, at most ${MOST_WAITING}`,
    'outboxWaiting',
  ],
  ['batches_running', 'Batches that are being sent', 'batchesRunning'],
  [
    'batches_stalled_seconds',
    'Seconds since the most stalled live batch made progress',
    'batchSeconds',
  ],
  ['imports_running', 'Imports that are being written', 'importsRunning'],
  ['executions_overdue', `Executions that are overdue, at most ${MOST}`, 'overdue'],
  [
    'membership_lag_seconds',
    'Age of the oldest contact change that is not in its segments yet',
    'membershipSeconds',
  ],
  [
    'segments_set_aside',
    'Segments that are set aside because their conditions take too long',
    'segmentsSetAside',
  ],
  [
    'delivery_events_lag_seconds',
    'Age of the oldest delivery event that is not applied',
    'eventSeconds',
  ],
  [
    'hook_oldest_due_seconds',
    'Seconds since the oldest webhook delivery to a callable endpoint was due',
    'hookSeconds',
  ],
  ['hook_gated_endpoints', 'Webhook endpoints that keep failing', 'gatedHooks'],
  [
    'executions_overdue_seconds',
    'Seconds since the first overdue execution was due',
    'overdueSeconds',
  ],
  [
    'connections_without_events',
    'Connections that send mail but receive no delivery events',
    'connectionsWithoutEvents',
  ],
  ['claims_in_doubt', 'Claims with mails that may or may not have been sent', 'claimsInDoubt'],
  ['sending_held', '1 while nothing is sent because Postgres was restored', 'sendingHeld'],
  [
    'partition_days_ahead',
    'Days ahead for which all tables have partitions. -1: today has none',
    'partitionDaysAhead',
  ],
  [
    'oldest_transaction_seconds',
    'Age of the oldest open transaction of the database',
    'oldestTransactionSeconds',
  ],
  ['postgres_connections', 'Open connections of the Postgres server', 'connections'],
  [
    'postgres_connections_most',
    'Largest number of connections of the Postgres server',
    'connectionsMost',
  ],
] as const satisfies readonly (readonly [string, string, keyof Figures])[]

/** Figures with a label. */
const LABELED = [
  [
    'accounts_paused',
    'AWS accounts that are paused, for all mail or for batches, by reason',
    'reason',
    'accountsPaused',
  ],
  ['queue_dead_rows', 'Dead rows of a queue that are not vacuumed', 'queue', 'deadRows'],
] as const satisfies readonly (readonly [string, string, string, keyof Figures])[]

/**
 * Measures how far the system is behind, and other figures of all organizations together, from
 * Postgres at each request. Without Postgres they are absent. One process of an installation
 * reports them until `stop` is called.
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
