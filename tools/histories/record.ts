/**
 * Records histories of every workflow for `test/workflows/replay.test.ts`. Each scenario runs once
 * on a real server, with activities that return what the scenario says.
 *
 * npm run histories [-- <part of a file's name>]
 *
 * Files go into this version's folder and are never overwritten: histories of a released version
 * must be replayable as long as its workflows may run. Delete a file of an unreleased version to
 * record it again.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client, Connection } from '@temporalio/client'
import { TestWorkflowEnvironment } from '@temporalio/testing'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker'
import { readConfig } from '../../src/config.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { addSearchAttributes } from '../../src/main/programs/search-attributes.ts'
import { findTemporal, startTemporal } from '../../src/main/dev/temporal.ts'
import { writeTimeSkippingServer } from '../../src/main/dev/time-skipping.ts'
import * as contract from '../../workflows/contract.ts'
import { type Answers, FAILS, type Scenario, scenarios } from './scenarios.ts'

const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const FOLDER = join(ROOT, 'test/histories', version)
const QUEUES = Object.entries(contract).flatMap(([name, value]) =>
  name.endsWith('_QUEUE') && typeof value === 'string' ? [value] : [],
)
/** Replaces the machine's name in histories. */
const identity = 'recorder'
/** Delay of the disturbance of a run. */
const MEANWHILE_MS = 700
/** Longest history text. Temporal ends a run at 50 MB. */
const MOST_HISTORY_BYTES = 100_000_000

const [part = ''] = process.argv.slice(2)
const wantedScenarios = scenarios.filter(
  (scenario) => fileOf(scenario).includes(part) && !existsSync(fileOf(scenario)),
)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const { cacheFolder } = readConfig().dev
/** Also provides the command line, which prints a history as a replay reads it. */
const temporal = await findTemporal({ cacheFolder, log: say })

Runtime.install({ logger: new DefaultLogger('ERROR') })
const { code } = await bundleWorkflowCode({
  workflowsPath: join(ROOT, 'workflows/index.ts'),
  logger: new DefaultLogger('ERROR'),
})
await mkdir(FOLDER, { recursive: true })
await recordAll(
  wantedScenarios.filter(({ skipsTime }) => !skipsTime),
  realServer,
)
await recordAll(
  wantedScenarios.filter(({ skipsTime }) => skipsTime),
  skippingServer,
)
say(
  `${wantedScenarios.length} histories recorded, ${scenarios.length - wantedScenarios.length} were there`,
)

interface Server {
  connection: Connection
  native: NativeConnection
  stop: () => Promise<void>
}

async function realServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-histories-'))
  const { address, stop } = await startTemporal({
    binary: temporal,
    folder,
    port: await freePort(),
    namespace: 'default',
    searchAttributes: contract.SEARCH_ATTRIBUTES,
    log: () => {},
  })
  const connection = await Connection.connect({ address })
  const native = await NativeConnection.connect({ address })
  const end = async () => {
    await native.close()
    await connection.close()
    await stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { connection, native, stop: end }
}

async function skippingServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-histories-'))
  const path = await writeTimeSkippingServer({ cacheFolder, folder, log: () => {} })
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  })
  const { connection, nativeConnection: native } = environment
  await addSearchAttributes(connection, 'default', contract.SEARCH_ATTRIBUTES)
  const end = async () => {
    await environment.teardown()
    await rm(folder, { recursive: true, force: true })
  }
  return { connection, native, stop: end }
}

async function recordAll(some: Scenario[], startServer: () => Promise<Server>): Promise<void> {
  if (some.length === 0) return
  const { connection, native, stop } = await startServer()
  const client = new Client({ connection, identity })
  try {
    for (const scenario of some) {
      await record(scenario, client, native)
      say(fileOf(scenario).slice(ROOT.length))
    }
  } finally {
    await stop()
  }
}

async function record(scenario: Scenario, client: Client, native: NativeConnection) {
  const activities = activitiesOf(scenario.answers)
  const workers = await Promise.all(
    QUEUES.map((taskQueue) =>
      Worker.create({
        connection: native,
        identity,
        taskQueue,
        activities,
        workflowBundle: { code },
      }),
    ),
  )
  const running = workers.map((worker) => worker.run())
  const { testService } = client.connection as Connection
  try {
    const handle = await client.workflow.start(scenario.workflow, {
      workflowId: `${scenario.workflow}/${scenario.name}`,
      taskQueue: contract.CONTROL_QUEUE,
      args: scenario.input,
    })
    if (scenario.meanwhile) {
      await sleep(MEANWHILE_MS)
      await scenario.meanwhile(handle)
    }
    await testService?.unlockTimeSkipping({})
    // It may be meant to fail.
    await handle.result().catch(() => {})
    await testService?.lockTimeSkipping({})
    await writeFile(fileOf(scenario), textOf(await historyOf(handle.workflowId, client)))
  } finally {
    for (const worker of workers) worker.shutdown()
    await Promise.all(running)
  }
}

/** History of the newest run. */
async function historyOf(workflowId: string, client: Client): Promise<string> {
  const { address } = (client.connection as Connection).options
  const where = ['--address', address, '--namespace', 'default', '--disable-config-file']
  const what = ['--workflow-id', workflowId, '--output', 'json', '--no-json-shorthand-payloads']
  const { stdout } = await run(temporal, ['workflow', 'show', ...where, ...what], {
    maxBuffer: MOST_HISTORY_BYTES,
  })
  return stdout
}

function activitiesOf(answers: Answers): Record<string, () => Promise<unknown>> {
  return Object.fromEntries(
    Object.entries(answers).map(([name, list]) => {
      let next = 0
      const answer = async (): Promise<unknown> => {
        const nextAnswer = list[Math.min(next++, list.length - 1)]
        if (nextAnswer === FAILS) throw new Error('as the scenario wants it')
        if (nextAnswer instanceof Error) throw nextAnswer
        return nextAnswer
      }
      return [name, answer]
    }),
  )
}

function fileOf({ workflow, name }: Scenario): string {
  const kebab = workflow.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return join(FOLDER, `${kebab}.${name}.json`)
}

/** One event a line. Stack traces would contain paths of the machine. */
function textOf(json: string): string {
  const { events } = JSON.parse(json, (key, value) => (key === 'stackTrace' ? undefined : value))
  const lines = events.map((event: unknown) => JSON.stringify(event))
  return `{"events":[\n${lines.join(',\n')}\n]}\n`
}
