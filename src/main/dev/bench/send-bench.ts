import { rm, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../../../client/index.ts'
import type { Config } from '../../../config.ts'
import { sandboxControl } from '../../../../tools/sandbox/control.ts'
import { createOrganization } from '../../../core/access/organizations.ts'
import * as inboundEvents from '../../../store/delivery/inbound-events.ts'
import { version } from '../../programs/version.ts'
import { DEFAULT_TEMPLATE } from '../default-template.ts'
import { connectSandbox, SENDER, startSystem } from '../system.ts'
import { runBareLoop } from './bare-loop.ts'
import { type Sink, startSink } from './sink.ts'

const ACCOUNT = { accountId: '555566667777', maxSendRate: 100_000, max24Hour: 1_000_000_000 }
const REGION = 'eu-west-1'
const PAGE = 1_000
const POLL_MS = 100
const WARM_UP = 1_000
/** Sockets of the bare loop, without latency and with it: as many as a worker has. */
const SOCKETS = { none: 64, some: 1_024 }

export interface SendBenchOptions {
  mails: number
  rounds: number
  latencies: readonly number[]
  events: boolean
  /** File of the raw results. */
  out: string
}

interface Round {
  latencyMs: number
  round: number
  /** Mails a second, from the first that the sink accepted to the last. */
  barePerSecond: number
  batchPerSecond: number
  ratio: number
  accepted: number
  /** Recipients who got the mail twice. */
  twice: number
  /** Seconds from creating the batch until it was completed. */
  batchSeconds: number
  /** Seconds from the last mail until all of its events were applied. Null: without events. */
  eventsSeconds: number | null
}

/**
 * Measures batches beside a bare loop that sends the same mails to the same sink, in turn, on a
 * system of its own. Returns whether every recipient got exactly one mail.
 */
export async function runSendBench(
  config: Config,
  options: SendBenchOptions,
  stopped: Promise<unknown>,
): Promise<boolean> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  const folder = join(config.dev.folder, `bench-${process.pid}`)
  const sink = await startSink()
  say('Starting Postgres, Temporal, the provider sandbox, the API and a worker …')
  const env = { AWS_ENDPOINT_URL_SESV2: sink.url }
  const system = await startSystem(config, folder, say, { timings: 'production', env })
  try {
    const rounds = await Promise.race([measure(system, sink, options, say), stopped])
    if (!Array.isArray(rounds)) throw new Error('stopped before the benchmark was done')
    const results = rounds as Round[]
    for (const line of table(results)) say(line)
    await writeFile(options.out, `${JSON.stringify(rawResults(options, results), null, 2)}\n`)
    say(`\nRaw results: ${options.out}`)
    const isExact = results.every(
      ({ accepted, twice }) => accepted === options.mails && twice === 0,
    )
    say(isExact ? 'Nobody was left out or mailed twice.' : 'SOMEBODY WAS LEFT OUT OR MAILED TWICE.')
    return isExact
  } finally {
    await system.stop()
    await sink.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type System = Awaited<ReturnType<typeof startSystem>>

async function measure(
  system: System,
  sink: Sink,
  { mails, rounds, latencies, events }: SendBenchOptions,
  say: (line: string) => void,
): Promise<Round[]> {
  await sink.set({ upstream: system.sandboxUrl })
  const client = await connectOrganization(system)
  const webhook = events ? await webhookOf(system.sandboxUrl) : null
  const { id: templateId } = await client.post('/v1/templates', { body: DEFAULT_TEMPLATE })
  await addContacts(client, 0, Math.min(WARM_UP, mails))
  // The account was verified with mails of its own.
  await sink.forget()
  await sendBatch(client, templateId)
  await addContacts(client, Math.min(WARM_UP, mails), mails)
  const sample = await sink.sample()
  say(`${mails} mails of ${sample.length} bytes, events ${events ? 'on' : 'off'}`)
  const results: Round[] = []
  for (const latencyMs of latencies) {
    for (let round = 1; round <= rounds; round++) {
      // Events of the bare loop's mails would be those of the sample.
      await sink.set({ latencyMs, webhook: null })
      await sink.forget()
      const sockets = latencyMs === 0 ? SOCKETS.none : SOCKETS.some
      await runBareLoop({ url: sink.url, sample, mails, sockets })
      const barePerSecond = rateOf(await sink.count())

      await sink.set({ webhook })
      await sink.forget()
      const batchSeconds = await sendBatch(client, templateId)
      const count = await sink.count()
      const batchPerSecond = rateOf(count)
      const { accepted, twice } = count
      // Events that are not applied yet would be work of the next round.
      const eventsSeconds = events ? await untilApplied(system, sink) : null
      const ratio = batchPerSecond / barePerSecond
      const rates = { barePerSecond, batchPerSecond, ratio }
      results.push({ latencyMs, round, ...rates, accepted, twice, batchSeconds, eventsSeconds })
      say(
        `${latencyMs} ms, round ${round}: bare ${barePerSecond.toFixed(0)}/s, batch ${batchPerSecond.toFixed(0)}/s`,
      )
    }
  }
  return results
}

async function connectOrganization(system: System): Promise<Client> {
  const { key } = await createOrganization(system.sql, {
    name: 'Bench Ltd',
    ownerEmail: 'owner@letterloom.example',
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  await connectSandbox(system, client, ACCOUNT)
  return client
}

async function addContacts(client: Client, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += PAGE) {
    const contacts = Array.from({ length: Math.min(PAGE, to - at) }, (_, n) => ({
      email: `reader-${at + n}@example.com`,
      firstName: 'Ada',
      company: 'Analytical Engines',
    }))
    await client.post('/v1/contacts/batch', { body: { contacts } })
  }
}

/** Returns the seconds until the batch was completed. */
async function sendBatch(client: Client, templateId: string): Promise<number> {
  const startedAt = performance.now()
  const body = { audienceType: 'all', templateId, from: SENDER } as const
  const { id } = await client.post('/v1/batch', { body })
  for (;;) {
    const batch = await client.get('/v1/batch/{id}', { params: { path: { id } } })
    if (batch.status === 'completed') return (performance.now() - startedAt) / 1_000
    if (batch.status === 'failed') throw new Error(`the batch failed: ${batch.failedReason}`)
    await sleep(POLL_MS)
  }
}

/** Returns the seconds until all events of the sink's mails were applied. */
async function untilApplied(system: System, sink: Sink): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const { waiting } = await sink.count()
    if (waiting === 0 && (await inboundEvents.countWaiting(system.sql)) === 0) break
    await sleep(POLL_MS)
  }
  return (performance.now() - startedAt) / 1_000
}

/** Where the account's events go. */
async function webhookOf(sandboxUrl: string) {
  const { accountId } = ACCOUNT
  const [webhook] = (await sandboxControl(sandboxUrl).account(accountId, REGION)).webhooks
  if (!webhook || !('url' in webhook)) throw new Error('the account has no webhook')
  return { url: webhook.url, secret: webhook.secret, account: accountId, sender: SENDER }
}

const rateOf = ({
  accepted,
  firstAt,
  lastAt,
}: {
  accepted: number
  firstAt: number
  lastAt: number
}) => (accepted < 2 ? Number.NaN : (accepted - 1) / ((lastAt - firstAt) / 1_000))

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** A line for each latency: medians of its rounds, and the least and the largest ratio. */
function table(results: readonly Round[]): string[] {
  const columns = ['latency', 'bare loop', 'batch', 'ratio', 'least', 'most']
  const rows = [...new Set(results.map(({ latencyMs }) => latencyMs))].map((latencyMs) => {
    const rounds = results.filter((each) => each.latencyMs === latencyMs)
    const ratios = rounds.map(({ ratio }) => ratio)
    return [
      `${latencyMs} ms`,
      `${median(rounds.map(({ barePerSecond }) => barePerSecond)).toFixed(0)}/s`,
      `${median(rounds.map(({ batchPerSecond }) => batchPerSecond)).toFixed(0)}/s`,
      ...[median(ratios), Math.min(...ratios), Math.max(...ratios)].map((each) => each.toFixed(2)),
    ]
  })
  return ['', ...[columns, ...rows].map((cells) => cells.map((cell) => cell.padStart(10)).join(''))]
}

const rawResults = (options: SendBenchOptions, rounds: readonly Round[]) => ({
  letterloom: version,
  node: process.version,
  machine: { processors: cpus().length, model: cpus()[0]?.model, memoryBytes: totalmem() },
  at: new Date().toISOString(),
  settings: options,
  rounds,
})
