import { Client, Connection } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { createMailer } from '../../activities/aws/mailer.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import { createFlowActivities } from '../../activities/flows/flows.ts'
import { createMailActivities } from '../../activities/index.ts'
import { createMailDrains } from '../../activities/mails/drain-mail.ts'
import { createSteps } from '../../activities/flows/steps/index.ts'
import { readConfig } from '../../src/config.ts'
import { startClaimReconciler } from '../../src/loops/claim-reconciler.ts'
import { startEventApplier } from '../../src/loops/event-applier.ts'
import { startExecutionReconciler } from '../../src/loops/execution-reconciler.ts'
import { startMailWaker } from '../../src/loops/mail-waker.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { connect } from '../../src/store/db/sql.ts'
import { parseKeyring } from '../../src/keys/tokens.ts'
import { CONTROL_QUEUE, MAIL_QUEUE, WEBHOOK_QUEUE } from '../../workflows/contract.ts'

/**
 * A process that runs executions and fails at random, for tests that kill it, see flow-workers.ts.
 * Its addresses come from the environment, as for the product's worker. On any message it kills
 * itself after the next activity, before its result is reported.
 */
export interface FlowWorkerOptions {
  bundle: string
  /**
   * Percentage of all activities: half fail before they do anything, half before their result is
   * reported.
   */
  breakPercent: number
}

const options: FlowWorkerOptions = JSON.parse(process.argv[2] ?? '{}')
const {
  databaseUrl = '',
  temporal: engine,
  keys = '',
  publicUrl,
  timings,
  ...config
} = readConfig()
const { address = '', namespace } = engine
const quiet = { info: () => {}, warn: () => {}, error: () => {} }
Runtime.install({ logger: new DefaultLogger('ERROR') })

const breaks = (): void => {
  if (Math.random() * 200 < options.breakPercent) throw new Error('stumbled')
}
let isDoomed = false
process.once('message', () => {
  isDoomed = true
})
const stumbling =
  <Input, Output>(act: (input: Input) => Promise<Output>) =>
  async (input: Input): Promise<Output> => {
    breaks()
    const output = await act(input)
    if (isDoomed) process.kill(process.pid, 'SIGKILL')
    breaks()
    return output
  }

const temporal = new Client({ connection: await Connection.connect({ address }), namespace })
const role = 'letterloom_worker'
const sql = connect(databaseUrl, { name: 'flows', role, max: 10 })
const claimSql = connect(databaseUrl, { name: 'claim', role, max: 2, statementTimeoutMs: 1_000 })
const content = { keyring: parseKeyring(keys), publicUrl }
const fetcher = createFetcher({ allowed: config.netAllowPrivate })
const flows = createFlowActivities({
  sql,
  content,
  // Short waits between the tries of a call, and more tries than a few stumbles take.
  steps: createSteps({ ...content, sql, fetcher, now: Date.now, waitsMs: Array(20).fill(300) }),
})
const mailer = createMailer({ roles: createRoles(), callMs: timings.callMs })
const { drainMail } = createMailActivities(
  createMailDrains({ sql, claimSql, mailer, timings, content }),
)

const shared = { connection: await NativeConnection.connect({ address }), namespace }
const runStep = stumbling(flows.runStep)
const workers = [
  await Worker.create({
    ...shared,
    taskQueue: CONTROL_QUEUE,
    workflowBundle: { codePath: options.bundle },
    activities: { ...flows, beginExecution: stumbling(flows.beginExecution), runStep },
    maxCachedWorkflows: 200,
  }),
  await Worker.create({ ...shared, taskQueue: WEBHOOK_QUEUE, activities: { runStep } }),
  await Worker.create({
    ...shared,
    taskQueue: MAIL_QUEUE,
    activities: { drainMail: stumbling(drainMail) },
  }),
]
startOutboxRelay({ sql, temporal, log: quiet })
startMailWaker({ sql, temporal, log: quiet })
startClaimReconciler({ sql, timings, log: quiet })
startEventApplier({ sql, keyring: content.keyring, log: quiet })
startExecutionReconciler({ sql, temporal, timings, log: quiet })
process.send?.('runs')
await Promise.all(workers.map((worker) => worker.run()))
