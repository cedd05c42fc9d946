import { setTimeout as pause } from 'node:timers/promises'
import {
  DefaultLogger,
  makeTelemetryFilterString,
  MetricsBuffer,
  Runtime,
  Worker,
} from '@temporalio/worker'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Config } from '../../config.ts'
import { STEP_FAILED } from '../../domain/flows/execution.ts'
import { BATCH_FAILED } from '../../domain/batches/batch.ts'
import { collectProcessMetrics } from '../../runtime/metrics.ts'
import { startBatchReconciler } from '../../loops/batch-reconciler.ts'
import { startClaimReconciler } from '../../loops/claim-reconciler.ts'
import { type Clock, startClockKeeper } from '../../loops/clock-keeper.ts'
import { startCredentialKeeper } from '../../loops/credential-keeper.ts'
import { startEventApplier } from '../../loops/event-applier.ts'
import { startEventQueuePoller } from '../../loops/event-queue-poller.ts'
import { startEventWatch } from '../../loops/event-watch.ts'
import { startExternalMailMatcher } from '../../loops/external-mail-matcher.ts'
import { startFailureLog } from '../../loops/failure-log.ts'
import { startExecutionReconciler } from '../../loops/execution-reconciler.ts'
import { startOnceInFleet } from '../../loops/fleet.ts'
import { startFlowOperator } from '../../loops/flow-operator.ts'
import { startHookWaker } from '../../loops/hook-waker.ts'
import { startImportSweeper } from '../../loops/import-sweeper.ts'
import { startJanitor } from '../../loops/janitor.ts'
import { startMailWaker } from '../../loops/mail-waker.ts'
import { startTextWaker } from '../../loops/text-waker.ts'
import { startMembershipKeeper } from '../../loops/membership-keeper.ts'
import { startOpenRowReconcilers } from '../../loops/open-rows.ts'
import { startPhoneConsentKeeper } from '../../loops/phone-consent-keeper.ts'
import { startOutboxRelay } from '../../loops/outbox-relay.ts'
import { startOverdueWaker } from '../../loops/overdue-waker.ts'
import { startPartitionKeeper } from '../../loops/partition-keeper.ts'
import { startProgressLog } from '../../loops/progress-log.ts'
import { OtherDatabase, startRestoreWatch, watchRestores } from '../../loops/restore-watch.ts'
import { startTestDecider } from '../../loops/test-decider.ts'
import { startScheduleKeeper } from '../../loops/schedule-keeper.ts'
import { startWorkNotices } from '../../loops/work-notices.ts'
import { MAIL_QUEUE } from '../../../workflows/contract.ts'
import { countDuplicates, countNotApplied, measureHookCalls } from './event-metrics.ts'
import { measureRenderer } from './renderer-metrics.ts'
import { serveInternal } from './internal.ts'
import { measureLags } from './lag-metrics.ts'
import { whenStopped } from './lifetime.ts'
import { createReadiness } from './readiness.ts'
import { temporalAddress } from './required.ts'
import { copyTemporalMetrics, TEMPORAL_BUFFER } from './temporal-metrics.ts'
import { queueTable } from './worker-queues.ts'
import { waitForSessions } from './wait-for-sessions.ts'
import { openWorkerResources, type WorkerResources } from './worker-resources.ts'

/** Interval below which heartbeats are merged, shorter than those of any activity. */
const BEAT_MS = 250
const LOOK_AGAIN_MS = 1_000

/**
 * Runs a worker process: the Temporal workers of the given queues, and the loops of every worker.
 * Resolves when a shutdown was requested and everything in flight has ended.
 */
export async function runWorker(
  config: Config,
  log: Logger,
  { queues, stopped }: { queues: readonly string[]; stopped: AbortSignal },
): Promise<void> {
  const temporalMetrics = installRuntime(config, log)
  const resources = await openWorkerResources(config, log)
  const { databaseUrl, sql, noticeSender } = resources
  const address = temporalAddress(config)
  warnOfSettings(config, log)
  const clock = startClockKeeper({ sql, log })
  const registry = new Registry()
  const onHookCall = measureHookCalls(registry)
  const workers = await startWorkers(config, log, queues, { ...resources, clock, onHookCall })
  let loops: { stop(): Promise<void> }[] = []
  let isDraining = false
  const readiness = createReadiness({
    databaseUrl,
    role: 'letterloom_worker',
    temporalAddress: address,
    needsTemporal: true,
    notices: noticeSender === undefined ? 'off' : 'on',
    clock,
    isServing: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    isDraining: () => isDraining,
  })
  collectProcessMetrics(registry)
  measureRenderer(registry, resources.renderer)
  const copier = temporalMetrics && copyTemporalMetrics(registry, temporalMetrics)
  const closeInternal = await serveInternal({
    address: config.internal,
    registry,
    readiness: readiness.ask,
    log,
  })
  const stop = (): void => {
    isDraining = true
    for (const worker of workers) {
      if (worker.getState() === 'RUNNING') worker.shutdown()
    }
  }
  await waitForSessions(databaseUrl, log, stopped)
  await lookForRestore(resources, log, stopped)
  loops = startLoops(config, log, registry, { ...resources, queues })
  void whenStopped(stopped).then(stop)
  log.info({ queues, address, namespace: config.temporal.namespace }, 'worker runs')
  try {
    await Promise.all(workers.map((worker) => worker.run()))
  } finally {
    stop()
    await Promise.all([...loops, clock].map((loop) => loop.stop()))
    await closeInternal()
    copier?.stop()
    await Promise.all([readiness.close(), resources.close()])
  }
}

/**
 * Looks once whether Postgres was restored before anything is sent: what a restore has forgotten
 * must not be sent again. Resolves, too, when a shutdown is requested. Throws if the database is
 * not that of the namespace.
 */
async function lookForRestore(
  { sql, temporal }: WorkerResources,
  log: Logger,
  stopped: AbortSignal,
): Promise<void> {
  while (!stopped.aborted) {
    try {
      return await watchRestores({ sql, temporal, log, everyMs: 0 })
    } catch (error) {
      if (error instanceof OtherDatabase) throw error
      log.warn({ err: error }, 'it cannot be seen yet whether Postgres was restored')
      await pause(LOOK_AGAIN_MS, undefined, { signal: stopped }).catch(() => {})
    }
  }
}

/**
 * Starts the loops, whatever the worker's queues are. A new loop is a line here. Loops that serve
 * callers or decide claims run in every worker, those that compare and tidy in one of the fleet,
 * which also exposes the figures of the whole installation.
 */
function startLoops(
  { timings, temporal: { isFair } }: Config,
  log: Logger,
  registry: Registry,
  {
    databaseUrl,
    sql,
    temporal,
    keyring,
    roles,
    eventQueues,
    receiptSql,
    receiptDrains,
    queues,
  }: WorkerResources & { queues: readonly string[] },
): { stop(): Promise<void> }[] {
  const notices = startWorkNotices({ sql, databaseUrl })
  const sendReceipts = queues.includes(MAIL_QUEUE) ? receiptDrains.sendReceipts : undefined
  return [
    notices,
    startOutboxRelay({ sql, temporal, log, notices, isFair }),
    startMailWaker({ sql: receiptSql, temporal, log, notices, sendReceipts }),
    startTextWaker({ sql, temporal, log, notices }),
    startHookWaker({ sql, temporal, log, notices }),
    startClaimReconciler({ sql, timings, log }),
    startEventApplier({ sql, keyring, log, onDuplicates: countDuplicates(registry), notices }),
    startEventQueuePoller({
      sql,
      queues: eventQueues,
      timings,
      log,
      onNotApplied: countNotApplied(registry),
    }),
    startCredentialKeeper({ sql, roles, log }),
    startMembershipKeeper({ sql, log, notices }),
    startFailureLog({ log }),
    startOnceInFleet({
      sql,
      log,
      holdMs: timings.leaseMs / 2,
      start: () => [
        measureLags(registry, { sql, log }),
        startProgressLog({ sql, log }),
        startEventWatch({ sql, log }),
        startExternalMailMatcher({ sql, log }),
        startBatchReconciler({ sql, temporal, timings, log }),
        startTestDecider({ sql, log }),
        startExecutionReconciler({ sql, temporal, timings, log }),
        startFlowOperator({ sql, log }),
        startOpenRowReconcilers({ sql, temporal, timings, log }),
        startOverdueWaker({ sql, log }),
        startRestoreWatch({ sql, temporal, log }),
        startPartitionKeeper({ sql, log }),
        startImportSweeper({ sql, log }),
        startPhoneConsentKeeper({ sql, keyring, log }),
        startScheduleKeeper({ sql, temporal, log, isFair }),
        startJanitor({ sql, log }),
      ],
    }),
  ]
}

async function startWorkers(
  config: Config,
  log: Logger,
  queues: readonly string[],
  resources: WorkerResources & { clock: Clock; onHookCall: (outcome: string, ms: number) => void },
): Promise<Worker[]> {
  const workers = []
  for (const [taskQueue, options] of Object.entries(queueTable(config, log, resources))) {
    if (!queues.includes(taskQueue)) continue
    const worker = await Worker.create({
      ...options,
      taskQueue,
      connection: resources.native,
      namespace: config.temporal.namespace,
      shutdownGraceTime: '5s',
      shutdownForceTime: '30s',
      maxHeartbeatThrottleInterval: BEAT_MS,
    })
    workers.push(worker)
  }
  return workers
}

/**
 * Sends the SDK's logs through our logger, so that they are scrubbed as well. Returns the buffer of
 * the SDK's metrics. Undefined: nobody can ask for them.
 */
function installRuntime({ internal }: Config, log: Logger): MetricsBuffer | undefined {
  const buffer = internal.port === undefined ? undefined : new MetricsBuffer(TEMPORAL_BUFFER)
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const how = isExpectedFailure(meta) ? 'debug' : level === 'ERROR' ? 'error' : 'warn'
      log[how](meta ?? {}, message)
    }),
    telemetryOptions: {
      logging: {
        filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }),
        forward: {},
      },
      ...(buffer === undefined ? {} : { metrics: { buffer } }),
    },
    // The command decides when to stop: it has more to close than the workers.
    shutdownSignals: [],
  })
  return buffer
}

function warnOfSettings({ netAllowPrivate, notices }: Config, log: Logger): void {
  if (netAllowPrivate.length > 0) {
    log.warn(
      { ranges: netAllowPrivate },
      'NET_ALLOW_PRIVATE is set: webhooks of every organization reach these private addresses',
    )
  }
  if (notices.from === undefined) log.warn({}, 'NOTICE_FROM unset: notices and invitations are off')
}

/**
 * Returns whether a flow or batch failed by its own rules, its receiver or its account, which the
 * API reports.
 */
const isExpectedFailure = (meta: object | undefined): boolean =>
  meta !== undefined &&
  'error' in meta &&
  meta.error instanceof Error &&
  'type' in meta.error &&
  (meta.error.type === STEP_FAILED || meta.error.type === BATCH_FAILED)
