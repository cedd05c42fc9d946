import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { inject } from 'vitest'
import {
  createControlActivities,
  createHookActivities,
  createImportQueueActivities,
  createMailActivities,
  createSendActivities,
  createTextActivities,
} from '../../activities/index.ts'
import type { Mailer, Verifier } from '../../activities/mailer.ts'
import { createMailDrains } from '../../activities/mails/drain-mail.ts'
import { createDrainTexts } from '../../activities/mails/drain-texts.ts'
import type { Texter } from '../../activities/texter.ts'
import { startReceiving } from '../../src/core/delivery/receiving.ts'
import {
  addSearchAttributes,
  waitForSearchAttributes,
} from '../../src/main/programs/search-attributes.ts'
import { SHORT_TIMINGS, type Timings } from '../../src/domain/delivery/timings.ts'
import { startClaimReconciler } from '../../src/loops/claim-reconciler.ts'
import { startEventApplier } from '../../src/loops/event-applier.ts'
import { startExternalMailMatcher } from '../../src/loops/external-mail-matcher.ts'
import { startHookWaker } from '../../src/loops/hook-waker.ts'
import type { Log } from '../../src/loops/loop.ts'
import { startMailWaker } from '../../src/loops/mail-waker.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { startTextWaker } from '../../src/loops/text-waker.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { type Keyring, newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import {
  CONTROL_QUEUE,
  HOOK_QUEUE,
  IMPORT_QUEUE,
  MAIL_QUEUE,
  SEARCH_ATTRIBUTES,
  SEND_QUEUE,
} from '../../workflows/contract.ts'
import { connectAs } from './logins.ts'
import './worker-log.ts'

/** Limit of every wait, far more than a busy machine needs. */
const PATIENCE_MS = 120_000
/** Interval of `until`, at first and in the end. */
const LOOK_MS = 25
const LONG_LOOK_MS = 250

interface EngineOptions {
  databaseUrl: string
  mailer: Mailer
  /** Sends text messages. Absent: nobody does. */
  texter?: Texter
  verifier?: Verifier
  timings?: Timings
  freezePage?: number
  /** Keyring of the API that reads the links of the mails. A new one by default. */
  keyring?: Keyring
  /** Mails that an erasure empties in one transaction. */
  erasurePage?: number
  /** Calls webhook endpoints, also on loopback. */
  callsHooks?: boolean
  /** Namespace of a stopped engine, to continue it. */
  namespace?: string
}

export interface Engine {
  client: Client
  namespace: string
  stop(): Promise<void>
}

/** Shorter than those of `dev`, since the fake provider answers in milliseconds. */
const TEST_TIMINGS: Timings = {
  ...SHORT_TIMINGS,
  leaseMs: 2_000,
  neighbourMs: 2_000,
  doubtMs: 4_000,
  awaitedMs: 8_000,
  giveUpMs: 20_000,
  // A busy machine's heartbeats are late.
  receivingGapMs: 15_000,
  quotaPauseMs: 1_000,
}

const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} }

/**
 * Workers of both queues and all loops in this process, on the shared Temporal server but in their
 * own namespace: queue names are the product's, so test files would take each other's tasks.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { mailer, timings = TEST_TIMINGS, freezePage, erasurePage } = options
  const address = inject('temporalAddress')
  const connection = await Connection.connect({ address })
  const namespace = options.namespace ?? (await newNamespace(connection))
  const client = new Client({ connection, namespace })
  const native = await NativeConnection.connect({ address })
  const sql = connectAs(options.databaseUrl, {
    name: 'engine',
    role: 'letterloom_worker',
    max: 12,
  })
  const claimSql = connectAs(options.databaseUrl, {
    name: 'claim',
    role: 'letterloom_worker',
    max: 6,
    statementTimeoutMs: 1_000,
  })
  const { keyring = parseKeyring(newKeyringText()) } = options
  const deps = {
    sql,
    claimSql,
    mailer,
    verifier: options.verifier ?? {
      verify: () => Promise.reject(new Error('nobody to ask')),
      acceptsConfigurationSet: async () => undefined,
    },
    timings,
    content: { keyring, publicUrl: 'https://letterloom.example' },
    ...(freezePage === undefined ? {} : { freezePage }),
    ...(erasurePage === undefined ? {} : { erasurePage }),
  }
  const mailDrains = createMailDrains(deps)
  const shared = { connection: native, namespace, shutdownForceTime: '5s' }
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue: CONTROL_QUEUE,
      workflowBundle: { codePath: inject('workflowBundle') },
      activities: createControlActivities(deps),
    }),
    await Worker.create({
      ...shared,
      taskQueue: SEND_QUEUE,
      activities: createSendActivities(deps),
      maxConcurrentActivityTaskExecutions: 12,
      maxHeartbeatThrottleInterval: '500ms',
    }),
    await Worker.create({
      ...shared,
      taskQueue: MAIL_QUEUE,
      activities: {
        ...createMailActivities(mailDrains),
        ...(options.texter
          ? createTextActivities(createDrainTexts({ ...deps, texter: options.texter }))
          : {}),
      },
    }),
    await Worker.create({
      ...shared,
      taskQueue: IMPORT_QUEUE,
      activities: createImportQueueActivities(deps),
    }),
    ...(options.callsHooks
      ? [
          await Worker.create({
            ...shared,
            taskQueue: HOOK_QUEUE,
            activities: createHookActivities({
              sql,
              keyring,
              fetcher: createFetcher({ allowed: ['127.0.0.1'] }),
            }),
          }),
        ]
      : []),
  ]
  const runs = workers.map((worker) => worker.run())
  const loops = [
    startOutboxRelay({ sql, temporal: client, log: quiet }),
    startMailWaker({
      sql,
      temporal: client,
      log: quiet,
      sendReceipts: mailDrains.sendReceipts,
    }),
    ...(options.texter ? [startTextWaker({ sql, temporal: client, log: quiet })] : []),
    ...(options.callsHooks ? [startHookWaker({ sql, temporal: client, log: quiet })] : []),
    startClaimReconciler({ sql, timings, log: quiet }),
    startEventApplier({ sql, keyring, log: quiet }),
    startExternalMailMatcher({ sql, log: quiet }),
    // As the API process beside it would: delivery events can be received.
    startReceiving({ sql, gapMs: timings.receivingGapMs, log: quiet }),
  ]
  return {
    client,
    namespace,
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
      for (const worker of workers) worker.shutdown()
      await Promise.all(runs)
      await native.close()
      await connection.close()
      await Promise.all([sql.end(), claimSql.end()])
    },
  }
}

/** A namespace with the product's search attributes. */
export async function newNamespace(connection: Connection): Promise<string> {
  const namespace = `test-${randomUUID()}`
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  })
  await eventually(() => addSearchAttributes(connection, namespace, SEARCH_ATTRIBUTES))
  await waitForSearchAttributes(connection, namespace, SEARCH_ATTRIBUTES)
  return namespace
}

/** A namespace of a test file that starts runs and schedules without workers. */
export async function openNamespace(): Promise<{ client: Client; close: () => Promise<void> }> {
  const connection = await Connection.connect({ address: inject('temporalAddress') })
  const client = new Client({ connection, namespace: await newNamespace(connection) })
  return { client, close: () => connection.close() }
}

/** Repeats `act` until it does not throw. */
async function eventually<T>(act: () => Promise<T>): Promise<T> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (Date.now() > until) throw error
      await sleep(100)
    }
  }
}

/** Waits until `look` returns something truthy. */
export async function until<T>(
  look: () => Promise<T | undefined | false>,
  ms = PATIENCE_MS,
): Promise<T> {
  const begunAt = Date.now()
  for (;;) {
    const result = await look()
    if (result) return result
    const waitedMs = Date.now() - begunAt
    if (waitedMs > ms) throw new Error(`nothing after ${ms} ms`)
    // Whoever has waited for long needs no look forty times a second: it costs the processor.
    await sleep(Math.min(LOOK_MS + waitedMs / 20, LONG_LOOK_MS))
  }
}
