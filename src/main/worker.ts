import { Client, Connection } from '@temporalio/client'
import {
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { createConsolePolicies } from '../../activities/aws/console-policy.ts'
import { createHealthReader } from '../../activities/aws/health.ts'
import { createIdentities } from '../../activities/aws/identities.ts'
import { namingConfigurationSets } from '../../activities/aws/configuration-set.ts'
import { createMailer } from '../../activities/aws/mailer.ts'
import { createOperatorSessions } from '../../activities/aws/operator.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import { createVerifier } from '../../activities/aws/verifier.ts'
import {
  createControlActivities,
  createImportQueueActivities,
  createHealthActivities,
  createMailActivities,
  createNoticeActivities,
  createProviderActivities,
  createSendActivities,
  createWebhookActivities,
} from '../../activities/index.ts'
import { dailyChecks } from '../../activities/daily-checks.ts'
import {
  CONTROL_QUEUE,
  IMPORT_QUEUE,
  MAIL_QUEUE,
  PROVIDER_QUEUE,
  SEND_QUEUE,
  STEP_FAILED,
  WEBHOOK_QUEUE,
} from '../../workflows/contract.ts'
import type { Config } from '../config.ts'
import { startBatchReconciler } from '../loops/batch-reconciler.ts'
import { startClaimReconciler } from '../loops/claim-reconciler.ts'
import { startConfirmationMailCleaner } from '../loops/confirmation-mail-cleaner.ts'
import { startCredentialKeeper } from '../loops/credential-keeper.ts'
import { startEventApplier } from '../loops/event-applier.ts'
import { startEvidenceCleaner } from '../loops/evidence-cleaner.ts'
import { startEventIdCleaner } from '../loops/event-id-cleaner.ts'
import { startExecutionReconciler } from '../loops/execution-reconciler.ts'
import { startIdempotencyCleaner } from '../loops/idempotency-cleaner.ts'
import { startImportSweeper } from '../loops/import-sweeper.ts'
import { startLoginFailureCleaner } from '../loops/login-failure-cleaner.ts'
import { startMailWaker } from '../loops/mail-waker.ts'
import { startOutboxRelay } from '../loops/outbox-relay.ts'
import { startPartitionKeeper } from '../loops/partition-keeper.ts'
import { startReadingCleaner } from '../loops/reading-cleaner.ts'
import { startScheduleKeeper } from '../loops/schedule-keeper.ts'
import { createRenderer } from '../mail/renderer.ts'
import { createFetcher } from '../net/fetch.ts'
import { createResolver } from '../net/resolver.ts'
import * as senders from '../store/senders.ts'
import { connect } from '../store/sql.ts'
import { serveInternal } from './internal.ts'
import { checkedKeyring } from './keys.ts'
import { countDuplicates } from './duplicate-metric.ts'
import { measureLags } from './lag-metrics.ts'
import { whenStopped } from './lifetime.ts'
import { createReadiness } from './readiness.ts'
import { required, temporalAddress, temporalConnection } from './required.ts'
import { ensureSweepSchedule } from './sweep-schedule.ts'

/** A claim that takes longer than this is none: its second would be over before the first call. */
const CLAIM_TIMEOUT_MS = 1_000
/** Enough for four sub-batches of several batches; each holds up to a hundred calls. */
const SENDING_ACTIVITIES = 12
/** Connections whose mail outside batches is sent at the same time by one process. */
const MAIL_ACTIVITIES = 20
/** Questions to providers at the same time; most of each is waiting. */
const PROVIDER_ACTIVITIES = 50
/** Webhook steps at the same time by one process: twice what one organization may have. */
const WEBHOOK_ACTIVITIES = 100
const CACHED_WORKFLOWS = 300
/** Files written at the same time by one process: each keeps a connection busy. */
const IMPORT_ACTIVITIES = 3

/** Beats closer together are sent as one: closer than those of any activity. */
const BEAT_MS = 250
/**
 * How long a workflow's next task waits for the worker that knows the workflow, before any may have
 * it: so long a lost worker holds up what it was at.
 */
const STICKY_MS = 2_000

/**
 * One worker process: the Temporal workers of the given queues, and the loops that every worker
 * runs. Resolves when it was told to stop and everything in flight has been settled.
 */
export async function runWorker(
  config: Config,
  log: Logger,
  { queues, stopped }: { queues: readonly string[]; stopped: AbortSignal },
): Promise<void> {
  const databaseUrl = required(config.databaseUrl, 'DATABASE_URL')
  const keyring = checkedKeyring(config)
  const address = temporalAddress(config)
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const how = isStepFailure(meta) ? 'debug' : level === 'ERROR' ? 'error' : 'warn'
      log[how](meta ?? {}, message)
    }),
    // Those of the SDK's native part come the same way, so that they are scrubbed like ours.
    telemetryOptions: {
      logging: {
        filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }),
        forward: {},
      },
    },
    // The command decides when to stop: it has more to close than the workers.
    shutdownSignals: [],
  })
  const { namespace } = config.temporal
  const { channelArgs, ...reached } = temporalConnection(config)
  const native = await NativeConnection.connect(reached)
  const connection = await Connection.connect({ ...reached, channelArgs })
  const temporal = new Client({ connection, namespace })
  const sql = connect(databaseUrl, {
    name: 'letterloom-worker',
    role: 'letterloom_worker',
    max: 12,
  })
  const claimSql = connect(databaseUrl, {
    name: 'letterloom-claim',
    role: 'letterloom_worker',
    max: 6,
    statementTimeoutMs: CLAIM_TIMEOUT_MS,
  })
  const renderer = createRenderer()
  const roles = createRoles()
  const mailer = namingConfigurationSets(
    createMailer({ roles, callMs: config.timings.callMs }),
    (role, configurationSet) => {
      const { connectionId } = role
      log.warn({ connectionId, configurationSet }, 'mail goes without its configuration set')
      senders.recordConfigurationSet(sql, role, null).catch((error: unknown) => {
        log.error({ err: error, connectionId }, 'a configuration set could not be noted as gone')
      })
    },
  )
  const deps = {
    sql,
    claimSql,
    mailer,
    verifier: createVerifier(roles),
    timings: config.timings,
    content: { keyring, publicUrl: config.publicUrl, renderer },
    fetcher: createFetcher({ allowed: config.netAllowPrivate }),
  }

  const consolePolicies = createConsolePolicies(roles)
  const daily = dailyChecks({ sql, verifier: deps.verifier, consolePolicies, roles })
  const { from, region } = config.notices
  // A transport of its own: it knows other credentials than the customers' roles.
  const operator = createMailer({
    roles: createOperatorSessions(),
    callMs: config.timings.callMs,
  })
  const noticeSender = from === undefined ? undefined : { from, region, mailer: operator }

  const shared: Pick<
    WorkerOptions,
    | 'connection'
    | 'namespace'
    | 'shutdownGraceTime'
    | 'shutdownForceTime'
    | 'maxHeartbeatThrottleInterval'
  > = {
    connection: native,
    namespace,
    shutdownGraceTime: '5s',
    shutdownForceTime: '30s',
    maxHeartbeatThrottleInterval: BEAT_MS,
  }
  const workers: Worker[] = []
  if (queues.includes(CONTROL_QUEUE)) {
    workers.push(
      await Worker.create({
        ...shared,
        taskQueue: CONTROL_QUEUE,
        workflowBundle: { codePath: bundlePath() },
        activities: createControlActivities(deps),
        maxCachedWorkflows: CACHED_WORKFLOWS,
        stickyQueueScheduleToStartTimeout: STICKY_MS,
        // One thread holds them all; each further one is a V8 isolate of 30 MB.
        workflowThreadPoolSize: 1,
        maxConcurrentActivityTaskExecutions: 20,
      }),
    )
  }
  if (queues.includes(SEND_QUEUE)) {
    workers.push(
      await Worker.create({
        ...shared,
        taskQueue: SEND_QUEUE,
        activities: createSendActivities(deps),
        maxConcurrentActivityTaskExecutions: SENDING_ACTIVITIES,
      }),
    )
  }

  if (queues.includes(MAIL_QUEUE)) {
    workers.push(
      await Worker.create({
        ...shared,
        taskQueue: MAIL_QUEUE,
        activities: {
          ...createMailActivities(deps),
          ...createNoticeActivities({ ...deps, sender: noticeSender, now: Date.now, log }),
        },
        maxConcurrentActivityTaskExecutions: MAIL_ACTIVITIES,
      }),
    )
  }

  if (queues.includes(IMPORT_QUEUE)) {
    workers.push(
      await Worker.create({
        ...shared,
        taskQueue: IMPORT_QUEUE,
        activities: createImportQueueActivities(deps),
        maxConcurrentActivityTaskExecutions: IMPORT_ACTIVITIES,
      }),
    )
  }

  if (queues.includes(PROVIDER_QUEUE)) {
    workers.push(
      await Worker.create({
        ...shared,
        taskQueue: PROVIDER_QUEUE,
        activities: {
          ...createProviderActivities({
            sql,
            identities: createIdentities(roles),
            consolePolicies,
            verifier: deps.verifier,
            resolver: createResolver(),
          }),
          ...createHealthActivities({
            sql,
            health: createHealthReader(roles),
            daily,
            now: Date.now,
            log,
          }),
        },
        maxConcurrentActivityTaskExecutions: PROVIDER_ACTIVITIES,
      }),
    )
  }

  if (queues.includes(WEBHOOK_QUEUE)) {
    workers.push(
      await Worker.create({
        ...shared,
        taskQueue: WEBHOOK_QUEUE,
        activities: createWebhookActivities(deps),
        maxConcurrentActivityTaskExecutions: WEBHOOK_ACTIVITIES,
      }),
    )
  }

  if (config.netAllowPrivate.length > 0) {
    log.warn(
      { ranges: config.netAllowPrivate },
      'NET_ALLOW_PRIVATE is set: webhooks of every organization reach these private addresses',
    )
  }
  if (queues.includes(CONTROL_QUEUE)) await ensureSweepSchedule(temporal)
  if (noticeSender === undefined) log.warn({}, 'NOTICE_FROM is not set: owners are told nothing')
  const registry = new Registry()
  const loops = [
    startOutboxRelay({ sql, temporal, log }),
    startMailWaker({ sql, temporal, log }),
    startClaimReconciler({ sql, timings: config.timings, log }),
    startEventApplier({ sql, keyring, log, onDuplicates: countDuplicates(registry) }),
    startEvidenceCleaner({ sql, log }),
    startBatchReconciler({ sql, temporal, timings: config.timings, log }),
    startExecutionReconciler({ sql, temporal, timings: config.timings, log }),
    startPartitionKeeper({ sql, log }),
    startCredentialKeeper({ sql, roles, log }),
    startIdempotencyCleaner({ sql, log }),
    startEventIdCleaner({ sql, log }),
    startLoginFailureCleaner({ sql, log }),
    startConfirmationMailCleaner({ sql, log }),
    startImportSweeper({ sql, log }),
    startReadingCleaner({ sql, log }),
    startScheduleKeeper({ sql, temporal, log }),
  ]
  let isDraining = false
  const readiness = createReadiness({
    databaseUrl,
    role: 'letterloom_worker',
    temporalAddress: address,
    needsTemporal: true,
    notices: noticeSender === undefined ? 'off' : 'on',
    isServing: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    isDraining: () => isDraining,
  })
  collectDefaultMetrics({ register: registry })
  measureLags(registry, { sql, log })
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
  void whenStopped(stopped).then(stop)
  log.info({ queues, address, namespace }, 'worker runs')
  try {
    await Promise.all(workers.map((worker) => worker.run()))
  } finally {
    stop()
    await Promise.all(loops.map((loop) => loop.stop()))
    await Promise.all([mailer.close(), operator.close(), renderer.close()])
    await connection.close()
    await native.close()
    await closeInternal()
    await Promise.all([readiness.close(), sql.end(), claimSql.end()])
  }
}

/** A customer's flow failed by its own rules, or by their receiver: executions tell. */
const isStepFailure = (meta: object | undefined): boolean =>
  meta !== undefined &&
  'error' in meta &&
  meta.error instanceof Error &&
  'type' in meta.error &&
  meta.error.type === STEP_FAILED

/** `dist/workflow-bundle.js`, built by `npm run build`; also when the worker runs from sources. */
function bundlePath(): string {
  const here = new URL('.', import.meta.url)
  const folder = here.pathname.includes('/dist/src/main/') ? '../../' : '../../dist/'
  return new URL(`${folder}workflow-bundle.js`, here).pathname
}
