/**
 * How long a receipt takes from being enqueued to the provider's acceptance while many executions
 * wake at the same moment:
 *
 *   npm run build && npx tsx test/bench/receipts.ts [due]
 *
 * The whole system runs for it, compiled, with production's timings, and is thrown away afterwards.
 */
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../src/client/index.ts'
import { readConfig } from '../../src/config.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { connectSandbox, SENDER, startSystem } from '../../src/main/dev/system.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { seedExecutions, seedFlow } from '../support/flows.ts'
import { seedContacts } from '../support/seed.ts'

const [due = 10_000] = process.argv.slice(2).map(Number)
const ACCOUNTS = ['100000000001', '100000000002', '100000000003']
const MINUTE_MS = 60_000
const PAGE = 1_000
/** Between two receipts of one connection: its dispatcher is warm at times, idle at others. */
const GAP_MS = [200, 3_000] as const
/** Executions a second that surely begin; the moment they wake at is set by it. */
const SLOWEST_BEGINNING = 60
const WANTED_SECONDS = 2

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = await mkdtemp(join(tmpdir(), 'letterloom-receipts-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, say, { timings: 'production' })
const { sql } = system
try {
  const { organizationId, key } = await createOrganization(sql, {
    name: 'Receipts Ltd',
    ownerEmail: 'owner@letterloom.example',
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  const connectionIds: string[] = []
  for (const accountId of ACCOUNTS) {
    const account = { accountId, maxSendRate: 100, max24Hour: 1_000_000 }
    connectionIds.push(await connectSandbox(system, client, account))
  }
  const contactIds = await seedContacts(sql, organizationId, due)
  const time =
    Math.ceil((Date.now() + 10_000 + (due / SLOWEST_BEGINNING) * 1_000) / MINUTE_MS) * MINUTE_MS
  const flowId = await begin(organizationId, contactIds, new Date(time))
  say(`${due} executions wake in ${((time - Date.now()) / 1_000).toFixed(0)} s`)

  // The first of each starts its dispatcher.
  await Promise.all(connectionIds.map((connectionId) => receipt(organizationId, connectionId)))
  await sleep(Math.max(0, time - Date.now()))
  const wokenAt = Date.now()
  const over = new AbortController()
  let megabytes = 0
  const senders = connectionIds.map(async (connectionId) => {
    while (!over.signal.aborted) {
      await receipt(organizationId, connectionId)
      await sleep(GAP_MS[0] + Math.random() * (GAP_MS[1] - GAP_MS[0]))
    }
  })
  while ((await countOver(flowId)) < due) {
    megabytes = Math.max(megabytes, residentMegabytes())
    await sleep(500)
  }
  over.abort()
  say(`${due} woken in ${((Date.now() - wokenAt) / 1_000).toFixed(1)} s`)
  await Promise.all(senders)
  await report(organizationId, new Date(wokenAt), megabytes)
} finally {
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}

async function begin(organizationId: string, contacts: string[], time: Date): Promise<string> {
  const until = { time: time.toISOString().slice(11, 16), timezone: 'UTC' }
  const flow = await seedFlow(sql, organizationId, {
    steps: [{ id: 'rest', type: 'delay', config: { until } }],
  })
  for (let page = 0; page < contacts.length; page += PAGE) {
    await seedExecutions(sql, flow, contacts.slice(page, page + PAGE), { isEnqueued: true })
  }
  for (;;) {
    const [row] = await sql<{ paused: number }[]>`
      select count(*)::integer as paused from executions
      where flow_id = ${flow.flowId} and status = 'paused'`
    if (row?.paused === contacts.length) return flow.flowId
    if (Date.now() > time.getTime()) throw new Error('they did not fall asleep in time')
    await sleep(500)
  }
}

async function receipt(organizationId: string, connectionId: string): Promise<void> {
  await enqueue(sql, {
    organizationId,
    id: uuidv7(),
    source: 'transactional',
    connectionId,
    recipient: 'success@simulator.amazonses.com',
    from: SENDER,
    subject: 'Receipt',
    text: 'Thanks',
  })
}

async function countOver(flowId: string): Promise<number> {
  const [row] = await sql<{ over: number }[]>`
    select count(*)::integer as over from executions
    where flow_id = ${flowId} and status = 'completed'`
  return row?.over ?? 0
}

async function report(organizationId: string, since: Date, megabytes: number): Promise<void> {
  for (;;) {
    const [row] = await sql<{ waiting: number; receipts: number; p50: number; p95: number }[]>`
      select count(*) filter (where sent_at is null)::integer as waiting,
        count(*)::integer as receipts,
        percentile_cont(0.5) within group (order by took) as p50,
        percentile_cont(0.95) within group (order by took) as p95,
        max(took) as most
      from (
        select sent_at, extract(epoch from sent_at - created_at)::float8 as took
        from messages
        where organization_id = ${organizationId} and source = 'transactional'
          and created_at >= ${since.toISOString()}
      ) each`
    if (row && row.waiting === 0) {
      const { receipts, p50, p95 } = row
      say(
        `${receipts} receipts: p50 ${p50.toFixed(2)} s, p95 ${p95.toFixed(2)} s; worker at most ${megabytes} MB`,
      )
      say(p95 < WANTED_SECONDS ? `below ${WANTED_SECONDS} s` : `NOT BELOW ${WANTED_SECONDS} s`)
      if (p95 >= WANTED_SECONDS) process.exitCode = 1
      return
    }
    await sleep(500)
  }
}

function residentMegabytes(): number {
  const pid = system.worker.pid()
  const status = pid === undefined ? '' : readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
}
