import { Client, Connection } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { createFlowActivities } from '../../activities/flows.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { connect } from '../../src/store/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/tokens.ts'
import { CONTROL_QUEUE } from '../../workflows/contract.ts'

/** A process that runs executions and stumbles, for tests that kill it: see flow-workers.ts. */
export interface FlowWorkerOptions {
  databaseUrl: string
  address: string
  namespace: string
  bundle: string
  /** Of all activities: half before they do anything, half when all is done but not told. */
  breakPercent: number
  /** Kills itself after so many steps, each time when one is committed and nobody knows. */
  diesAfter: number | null
}

const options: FlowWorkerOptions = JSON.parse(process.argv[2] ?? '{}')
const quiet = { info: () => {}, warn: () => {}, error: () => {} }
Runtime.install({ logger: new DefaultLogger('ERROR') })

let steps = 0
const breaks = (): void => {
  if (Math.random() * 200 < options.breakPercent) throw new Error('stumbled')
}
const stumbling =
  <Input, Output>(act: (input: Input) => Promise<Output>) =>
  async (input: Input): Promise<Output> => {
    breaks()
    const output = await act(input)
    steps += 1
    if (steps === options.diesAfter) process.kill(process.pid, 'SIGKILL')
    breaks()
    return output
  }

const connection = await Connection.connect({ address: options.address })
const temporal = new Client({ connection, namespace: options.namespace })
const sql = connect(options.databaseUrl, { name: 'flows', role: 'letterloom_worker', max: 6 })
const made = createFlowActivities({
  sql,
  content: { keyring: parseKeyring(newKeyringText()), publicUrl: 'https://mail.example.com' },
})
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: options.address }),
  namespace: options.namespace,
  taskQueue: CONTROL_QUEUE,
  workflowBundle: { codePath: options.bundle },
  activities: {
    ...made,
    beginExecution: stumbling(made.beginExecution),
    runStep: stumbling(made.runStep),
  },
  maxCachedWorkflows: 200,
})
startOutboxRelay({ sql, temporal, log: quiet })
process.send?.('runs')
await worker.run()
