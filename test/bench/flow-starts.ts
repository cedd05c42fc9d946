/**
 * Executions started a second through the API, over HTTP, beside bare starts of a workflow that
 * does nothing: while workers run what is started, and while nobody does.
 *
 *   npm run build && npx tsx test/bench/flow-starts.ts [rounds] [executions]
 *
 * The whole system, compiled, a process each; it is thrown away afterwards. All ways in turn, round
 * after round, so that a busy machine is busy for each. Started is what Temporal has: a rate is
 * from the first request to the answer to the last start.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client, Connection } from '@temporalio/client'
import { Pool } from 'undici'
import { createClient, type Schemas } from '../../src/client/index.ts'
import { childEnvironment, readConfig } from '../../src/config.ts'
import { uuidv7 } from '../../src/ids.ts'
import { createOrganization } from '../../src/main/organizations.ts'
import { startSystem } from '../../src/main/system.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { withBareWorker } from '../support/bare-workers.ts'
import { seedContacts } from '../support/seed.ts'

const [rounds = 5, count = 500] = process.argv.slice(2).map(Number)
/** Bare starts at once: three times as many as the relay has at most. */
const AT_ONCE = 100
/** Callers of the API that start one execution after the other. */
const CALLERS = 20
const BARE_QUEUE = 'bare'
/** Of the rate of bare starts: what `BATCH` is to have, whoever runs them. */
const WANTED = 0.7
const BATCH = 'trigger/batch'
const LOOK_MS = 10
const CLI = fileURLToPath(new URL('../../dist/src/main/cli.js', import.meta.url))

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = await mkdtemp(join(tmpdir(), 'letterloom-starts-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, say)
const { sql, temporalAddress } = system
const connection = await Connection.connect({ address: temporalAddress })
const { workflow } = new Client({ connection })
const { organizationId, key } = await createOrganization(sql, {
  name: 'Bench',
  ownerEmail: 'owner@example.com',
  ownerName: 'Owner',
  plan: 'enterprise',
})
// More than any plan has, so that what is measured is answered and not refused.
await sql`
  insert into plan_overrides (organization_id, requests_per_minute, requests_per_day,
    events_per_month)
  values (${organizationId}, 1000000000, 1000000000, 1000000000)`
const contactIds = await seedContacts(sql, organizationId, count)
const api = createClient({ baseUrl: system.apiUrl, token: key })
const pool = new Pool(system.apiUrl, { connections: CALLERS })
const byHand = await makeFlow({ triggerType: 'api' })
await makeFlow({ triggerType: 'event', triggerConfig: { eventName: 'signed_up' } })

/** Each starts an execution, or a workflow, for every contact. */
const ways = {
  'bare starts': () =>
    inLanes(AT_ONCE, () =>
      workflow.start('endAtOnce', { workflowId: `bare/${uuidv7()}`, taskQueue: BARE_QUEUE }),
    ),
  [BATCH]: () => {
    const contacts = contactIds.map((contactId) => ({ contactId }))
    return post(`/v1/workflows/${byHand}/trigger/batch`, { contacts })
  },
  [`trigger, ${CALLERS} callers`]: () =>
    inLanes(CALLERS, (contactId) => post(`/v1/workflows/${byHand}/trigger`, { contactId })),
  [`events, ${CALLERS} callers`]: () =>
    inLanes(CALLERS, (contactId) => post('/v1/events', { name: 'signed_up', contactId })),
}

let isRight = true
try {
  await withBareWorker(temporalAddress, BARE_QUEUE, () => measureAll('workers run them', settle))
  await system.worker.stop()
  await withRelay(() => measureAll('nobody runs them', async () => {}))
} finally {
  await pool.close()
  await connection.close()
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}
if (!isRight) process.exitCode = 1

/** `rest` is waited for after each measurement: what it leaves to do would burden the next. */
async function measureAll(title: string, rest: () => Promise<void>): Promise<void> {
  const rates = new Map<string, number[]>()
  for (let round = -1; round < rounds; round++) {
    const turn = Object.entries(ways)
    for (const [name, start] of round % 2 ? turn.toReversed() : turn) {
      const startedAt = performance.now()
      await start()
      while ((await outbox.countWaiting(sql, 1)) > 0) await sleep(LOOK_MS)
      const rate = (count * 1_000) / (performance.now() - startedAt)
      // The first round warms all.
      if (round >= 0) rates.set(name, [...(rates.get(name) ?? []), rate])
      await rest()
    }
  }
  await requireStarted()
  const bare = middle(rates.get('bare starts'))
  say(`${title}: ${count} at a time, ${rounds} rounds`)
  for (const [name, each] of rates) {
    const ratio = middle(each) / bare
    if (name === BATCH && ratio < WANTED) isRight = false
    const figures = each.map(Math.round).join(', ')
    say(`  ${name}: ${Math.round(middle(each))}/s (${figures}), ${ratio.toFixed(2)} of bare`)
  }
  say(isRight ? `at least ${WANTED}` : `BELOW ${WANTED}`)
}

/** Temporal knows a run of each execution that the API answered for. */
async function requireStarted(): Promise<void> {
  const [row] = await sql<{ made: number }[]>`
    select count(*)::integer as made from executions where organization_id = ${organizationId}`
  for (let tries = 0; ; tries++) {
    const found = await workflow.count(
      `OrganizationId = '${organizationId}' and Kind = 'execution'`,
    )
    if (found.count === row?.made) return
    if (tries === 100) throw new Error(`Temporal has ${found.count} of ${row?.made}`)
    await sleep(100)
  }
}

/** Until everything that was started is over. */
async function settle(): Promise<void> {
  const open = `ExecutionStatus = 'Running' and (TaskQueue = '${BARE_QUEUE}' or Kind = 'execution')`
  while ((await workflow.count(open)).count > 0) await sleep(100)
}

/** Runs `act` while a worker process keeps promises and runs no workflow. */
async function withRelay(act: () => Promise<void>): Promise<void> {
  const relay = fork(CLI, ['worker', '--queues', 'import'], {
    env: childEnvironment(system.env),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  try {
    await act()
  } finally {
    const ended = once(relay, 'exit')
    relay.kill('SIGTERM')
    await ended
  }
}

/** An enabled flow that is over at once; returns its id. */
async function makeFlow(
  trigger: Pick<Schemas['WorkflowInput'], 'triggerType' | 'triggerConfig'>,
): Promise<string> {
  const { id } = await api.post('/v1/workflows', {
    body: {
      name: 'At once',
      ...trigger,
      settings: { allowReentry: true },
      steps: [{ id: 'end', type: 'exit', name: 'End', config: { outcome: 'completed' } }],
    },
  })
  await api.post('/v1/workflows/{workflowId}/enable', { params: { path: { workflowId: id } } })
  return id
}

/** As cheap as a caller can be: it has the same two cores. */
async function post(path: string, body: object): Promise<void> {
  const { statusCode, body: answer } = await pool.request({
    path,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`)
}

async function inLanes(lanes: number, act: (contactId: string) => Promise<unknown>): Promise<void> {
  const queue = contactIds.values()
  const lane = async (): Promise<void> => {
    for (const contactId of queue) await act(contactId)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

function middle(figures: readonly number[] = []): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN
}
