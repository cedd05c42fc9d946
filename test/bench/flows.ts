/**
 * What running a flow costs: ten steps without waits beside the same steps with an activity each.
 *
 *   npm run build && npx tsx test/bench/flows.ts [rounds] [executions]
 *
 * Postgres, Temporal and a worker of its own, all in turn, round after round, so that a busy
 * machine is busy for both; thrown away afterwards. The activities are compiled.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, Connection } from '@temporalio/client'
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker'
import type * as Activities from '../../activities/flows/flows.ts'
import type * as RunStep from '../../activities/flows/run-step.ts'
import type * as Steps from '../../activities/flows/steps/index.ts'
import { readConfig } from '../../src/config.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { findTemporal, startTemporal } from '../../src/main/dev/temporal.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { createDefinitionCache } from '../../src/store/flows/definition-cache.ts'
import { makeLogins } from '../../src/store/db/logins.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { CONTROL_QUEUE, executionWorkflowId, SEARCH_ATTRIBUTES } from '../../workflows/contract.ts'
import { executionRow, seedExecutions, seedFlow } from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

const [rounds = 5, count = 200] = process.argv.slice(2).map(Number)
const AT_ONCE = 50
const STEPS = 10
const NORMAL = { number: 1, isLocal: false, signal: new AbortController().signal }
const MOST_EVENTS = 60

const compiled = (path: string) => new URL(`../../dist/${path}`, import.meta.url).href
const { createFlowActivities } = (await import(
  compiled('activities/flows/flows.js')
)) as typeof Activities
const { createRunStep } = (await import(compiled('activities/flows/run-step.js'))) as typeof RunStep
const { createSteps } = (await import(compiled('activities/flows/steps/index.js'))) as typeof Steps

const content = { keyring: parseKeyring(newKeyringText()), publicUrl: 'https://mail.example.com' }
const say = (line: string): void => void process.stdout.write(`${line}\n`)
Runtime.install({ logger: new DefaultLogger('ERROR') })

const folder = await mkdtemp(join(tmpdir(), 'letterloom-bench-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const postgres = await startPostgres({
  folder: join(folder, 'postgres'),
  port: await freePort(),
  log: () => {},
  settings: { fsync: 'off', full_page_writes: 'off' },
})
await makeLogins(postgres.url)
const { cacheFolder } = readConfig().dev
const server = await startTemporal({
  binary: await findTemporal({ cacheFolder, log: () => {} }),
  folder: join(folder, 'temporal'),
  port: await freePort(),
  namespace: 'default',
  searchAttributes: SEARCH_ATTRIBUTES,
  log: () => {},
})
const sql = connect(postgres.url, { name: 'bench' })
await migrate(sql)
const connection = await Connection.connect({ address: server.address })
const native = await NativeConnection.connect({ address: server.address })
const client = new Client({ connection })

const { organizationId } = await seedOrganization(sql)
const contactIds = await seedContacts(sql, organizationId, count)
const flow = await seedFlow(sql, organizationId, {
  steps: Array.from({ length: STEPS }, (_, index) => ({
    id: `step-${index}`,
    type: 'update_contact',
    config: { increment: { 'properties.n': 1 } },
  })),
})

const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('./workflows/one-activity-per-step.ts', import.meta.url)),
  logger: new DefaultLogger('WARN'),
})

async function withWorker<T>(act: () => Promise<T>): Promise<T> {
  const workerSql = connectAs(postgres.url, { name: 'flows', role: 'letterloom_worker', max: 12 })
  const plainStep = createRunStep({
    sql: workerSql,
    steps: createSteps({
      ...content,
      sql: workerSql,
      fetcher: createFetcher({ allowed: [] }),
      now: Date.now,
    }),
    definitions: createDefinitionCache(),
  })
  const worker = await Worker.create({
    connection: native,
    taskQueue: CONTROL_QUEUE,
    workflowBundle: { code },
    activities: {
      ...createFlowActivities({ sql: workerSql, content }),
      plainStep: (input: RunStep.RunStepInput) => plainStep(input, NORMAL),
    },
    maxConcurrentActivityTaskExecutions: 20,
  })
  try {
    return await worker.runUntil(act)
  } finally {
    await workerSql.end()
  }
}

/** Executions that are over per second, from the first start to the last end. */
async function runAll(type: 'runFlow' | 'oneActivityPerStep'): Promise<number> {
  const ids = await seedExecutions(sql, flow, contactIds)
  const startedAt = performance.now()
  const run = async (executionId: string): Promise<void> => {
    await client.workflow.execute(type, {
      workflowId: executionWorkflowId(executionId, 1),
      taskQueue: CONTROL_QUEUE,
      args: [{ organizationId, executionId }],
    })
  }
  const queue = [...ids]
  const lane = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) await run(id)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  const rate = (ids.length * 1_000) / (performance.now() - startedAt)
  const { status } = await executionRow(sql, ids.at(-1) ?? '')
  if (status !== 'completed') throw new Error(`an execution is ${status}`)
  return rate
}

const middle = (figures: number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0
const shown = (figures: number[]): string =>
  `${Math.round(middle(figures))}/s (${figures.map(Math.round).join(', ')})`

let isRight = true
const judge = (words: string, isSo: boolean): void => {
  say(`${isSo ? 'ok   ' : 'WRONG'} ${words}`)
  isRight &&= isSo
}

try {
  const figures = { local: [] as number[], each: [] as number[] }
  await withWorker(async () => {
    await runAll('runFlow')
    for (let round = 0; round < rounds; round++) {
      figures.each.push(await runAll('oneActivityPerStep'))
      figures.local.push(await runAll('runFlow'))
    }
  })
  const [last = ''] = await seedExecutions(sql, flow, contactIds.slice(0, 1))
  const handle = await client.workflow.start('runFlow', {
    workflowId: executionWorkflowId(last, 1),
    taskQueue: CONTROL_QUEUE,
    args: [{ organizationId, executionId: last }],
  })
  await withWorker(() => handle.result())
  const { events } = await handle.fetchHistory()
  say(`${STEPS} steps, ${count} executions, ${AT_ONCE} at once, ${rounds} rounds`)
  say(`runFlow                ${shown(figures.local)}`)
  say(`an activity per step   ${shown(figures.each)}`)
  const ratio = middle(figures.local) / middle(figures.each)
  judge(`${ratio.toFixed(2)} times the rate of an activity per step, at least 2`, ratio >= 2)
  const length = events?.length ?? Number.POSITIVE_INFINITY
  judge(`${length} events in the history, at most ${MOST_EVENTS}`, length <= MOST_EVENTS)
} finally {
  await connection.close()
  await native.close()
  await sql.end()
  await server.stop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
if (!isRight) process.exitCode = 1
