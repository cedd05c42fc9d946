/**
 * Executions that fall due together while many others are asleep, beside a workflow that is nothing
 * but a timer in the same run:
 *
 *   npm run build && npx tsx test/bench/wake-ups.ts [asleep] [due]
 *
 * The whole system runs for it, compiled, with production's timings, and is thrown away afterwards.
 * With the short ones the reconciler would ask Temporal about two hundred executions a second as
 * soon as they are late by a minute, as many are on a small machine. Of `asleep` executions
 * `due` fall due at one moment; woken is who has ended after it.
 */
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { readConfig } from '../../src/config.ts'
import { startSystem } from '../../src/main/system.ts'
import { readLags } from '../../src/store/platform/lags.ts'
import { withBareWorker } from '../support/bare-workers.ts'
import { seedExecutions, seedFlow } from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'

const [asleep = 20_000, due = 5_000] = process.argv.slice(2).map(Number)
const MINUTE_MS = 60_000
const PAGE = 1_000
const STARTS_AT_ONCE = 30
const BARE_QUEUE = 'bare-timers'
/** Of a bare workflow's rate. */
const WANTED = 0.7

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = await mkdtemp(join(tmpdir(), 'letterloom-wake-ups-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, say, 'production')
const { sql, temporalAddress } = system
const connection = await Connection.connect({ address: temporalAddress })
const client = new Client({ connection })
const { organizationId } = await seedOrganization(sql)
const contactIds = await seedContacts(sql, organizationId, asleep)

try {
  const started = performance.now()
  await begin('one week', contactIds.slice(due), { amount: 1, unit: 'weeks' })
  const rate = ((asleep - due) / (performance.now() - started)) * 1_000
  say(`${asleep - due} executions asleep, ${rate.toFixed(0)} a second began; ${memory()}`)

  const giveUpMs = (due / Math.max(1, rate)) * 1_000 * 1.5 + 5_000
  const time = Math.ceil((Date.now() + giveUpMs) / MINUTE_MS) * MINUTE_MS
  const until = { time: new Date(time).toISOString().slice(11, 16), timezone: 'UTC' }
  const flowId = await begin('all at once', contactIds.slice(0, due), { until })
  if (Date.now() > time) throw new Error('they did not fall asleep in time')
  say(`${due} more fall due in ${((time - Date.now()) / 1_000).toFixed(0)} s; ${memory()}`)
  const ours = await measure(time, () => countOver(flowId))
  const bare = await measureBare()
  const ratio = ours / bare
  say(
    `woken a second: ${ours.toFixed(0)}, bare timers ${bare.toFixed(0)}, ratio ${ratio.toFixed(2)}`,
  )
  say(ratio >= WANTED ? `at least ${WANTED}` : `BELOW ${WANTED}`)
  if (ratio < WANTED) process.exitCode = 1
} finally {
  await connection.close()
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Starts an execution for each contact and waits until all of them sleep. */
async function begin(name: string, contacts: string[], config: object): Promise<string> {
  const flow = await seedFlow(sql, organizationId, {
    steps: [{ id: 'rest', type: 'delay', name, config } as never],
  })
  for (let page = 0; page < contacts.length; page += PAGE) {
    await seedExecutions(sql, flow, contacts.slice(page, page + PAGE), { isEnqueued: true })
  }
  for (;;) {
    const [row] = await sql<{ paused: number }[]>`
      select count(*)::integer as paused from executions
      where flow_id = ${flow.flowId} and status = 'paused'`
    if (row?.paused === contacts.length) return flow.flowId
    await sleep(200)
  }
}

async function countOver(flowId: string): Promise<number> {
  const [row] = await sql<{ over: number }[]>`
    select count(*)::integer as over from executions
    where flow_id = ${flowId} and status = 'completed'`
  return row?.over ?? 0
}

/** How many a second were woken, from that moment to the last of them. */
async function measure(time: number, count: () => Promise<number>): Promise<number> {
  await sleep(Math.max(0, time - Date.now()))
  let [megabytes, lag, overdue] = [0, 0, 0]
  for (;;) {
    const over = await count()
    const lags = await readLags(sql, due)
    overdue = Math.max(overdue, lags.overdue)
    lag = Math.max(lag, lags.overdueSeconds)
    megabytes = Math.max(megabytes, residentMegabytes())
    if (over >= due) break
    await sleep(250)
  }
  const seconds = (Date.now() - time) / 1_000
  const published = `most overdue ${overdue}, longest lag ${lag.toFixed(1)} s`
  say(`${due} woken in ${seconds.toFixed(1)} s; ${published}; worker at most ${megabytes} MB`)
  return due / seconds
}

function measureBare(): Promise<number> {
  return withBareWorker(temporalAddress, BARE_QUEUE, async () => {
    const startedAt = performance.now()
    const time = Date.now() + Math.max(15_000, due * 20)
    const waiting = Array.from({ length: due }, (_, n) => `bare/${n}`).values()
    const lanes = Array.from({ length: STARTS_AT_ONCE }, async () => {
      for (const workflowId of waiting) {
        await client.workflow.start('sleepUntil', {
          workflowId,
          taskQueue: BARE_QUEUE,
          args: [time],
        })
      }
    })
    await Promise.all(lanes)
    const rate = (due / (performance.now() - startedAt)) * 1_000
    if (Date.now() > time) throw new Error('the bare timers were not started in time')
    say(`${due} bare timers started, ${rate.toFixed(0)} a second`)
    const query = `TaskQueue = '${BARE_QUEUE}' and ExecutionStatus = 'Completed'`
    return await measure(time, async () => (await client.workflow.count(query)).count)
  })
}

function memory(): string {
  return `worker ${residentMegabytes()} MB`
}

function residentMegabytes(): number {
  const pid = system.worker.pid()
  const status = pid === undefined ? '' : readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
}
