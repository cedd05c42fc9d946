/**
 * The public tools: what a kept report costs, and what many look-ups at once do to others.
 *
 * - a report that is kept, through the whole API, as a ratio to a bare Fastify route that sends the
 *   same text
 * - 1,000 connections that ask 1,000 times a second for ever new domains of a name server that
 *   takes a second: the p99 of another page beside them as a ratio to the same without them, and
 *   the most memory of the process
 *
 *   npx tsx test/bench/tools.ts [rounds] [seconds]
 *
 * One process for each server; this one loads them in turn, round after round, so that a busy
 * machine is busy for all. The limit of checks a minute lets everything through: it is not
 * measured.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import fastify from 'fastify'
import { toolboxAt } from '../support/toolbox.ts'
import { startToolsApi, unlimited } from '../support/tools-api.ts'
import { startZoneServer } from '../support/zone-server.ts'

const [rounds = 7, seconds = 2] = process.argv.slice(2).map(Number)
const DOMAIN = 'shop.example'
const REPORT = `/tools/spf-check/${DOMAIN}`
const CONNECTIONS = 32
const STRANGERS = 1_000
const SLOW_MS = 1_000
/** Of the page beside the strangers. */
const PAGES_PER_SECOND = 50
const MB = 1_048_576

/** The API with its tools, and the bare route, at two ports; says how much memory it has. */
async function serve(): Promise<void> {
  const [address] = (await once(process, 'message')) as [string]
  // As behind a proxy: one address may not have as many connections as the strangers have.
  const app = await startToolsApi(toolboxAt(address), unlimited, ['127.0.0.1'])
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { body: report, headers } = await app.inject(REPORT)
  const bare = fastify()
  bare.get('/tools/spf-check/:domain', (_, reply) =>
    reply.type('application/json; charset=utf-8').send(report),
  )
  const { date: _date, connection: _connection, ...same } = headers
  bare.get('/same-headers/spf-check/:domain', (_, reply) => reply.headers(same).send(report))
  const bareUrl = await bare.listen({ host: '127.0.0.1', port: 0 })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    const { maxRSS } = process.resourceUsage()
    const usage = { rss: process.memoryUsage().rss, peakRss: maxRSS * 1_024 }
    process.send?.({ ...usage, cpuMicroseconds: user + system })
  })
  process.once('disconnect', () => process.exit())
  process.send?.({ url, bareUrl })
}

async function measure(): Promise<void> {
  const fast = await startZoneServer({ [DOMAIN]: { TXT: ['v=spf1 ip4:192.0.2.10 -all'] } })
  const slow = await startZoneServer({}, { delayMs: SLOW_MS })
  const children: ChildProcess[] = []
  try {
    await kept(await start(children, fast.address))
    await beside(await start(children, slow.address))
  } finally {
    for (const child of children) child.disconnect()
    await fast.close()
    await slow.close()
  }
}

interface Served {
  child: ChildProcess
  url: string
  bareUrl: string
}

async function start(children: ChildProcess[], address: string): Promise<Served> {
  const child = fork(fileURLToPath(import.meta.url))
  children.push(child)
  child.send(address)
  const [urls] = (await once(child, 'message')) as [{ url: string; bareUrl: string }]
  return { child, ...urls }
}

async function kept({ child, url, bareUrl }: Served): Promise<void> {
  const sameHeaders = `${bareUrl}${REPORT}`.replace('/tools/', '/same-headers/')
  const subjects = [`${url}${REPORT}`, `${bareUrl}${REPORT}`, sameHeaders].map((at) => ({
    at,
    rates: [] as number[],
    costs: [] as number[],
  }))
  for (let round = -1; round < rounds; round++) {
    for (const { at, rates, costs } of round % 2 ? subjects : subjects.toReversed()) {
      const before = await usageOf(child)
      const result = await autocannon({ url: at, connections: CONNECTIONS, duration: seconds })
      const after = await usageOf(child)
      if (result.non2xx > 0) throw new Error(`${at}: ${result.non2xx} refusals`)
      if (round < 0) continue
      rates.push(result['2xx'] / result.duration)
      costs.push((after.cpuMicroseconds - before.cpuMicroseconds) / result['2xx'])
    }
  }
  const [full = Number.NaN, ...bare] = subjects.map(({ rates }) => median(rates))
  const [fullCost = Number.NaN, ...bareCosts] = subjects.map(({ costs }) => median(costs))
  console.log(
    `a kept report: ${full.toFixed(0)} requests/s, ${fullCost.toFixed(0)} µs of processor`,
  )
  for (const [index, name] of ['bare route', 'bare route with the same headers'].entries()) {
    const [rate = Number.NaN, cost = Number.NaN] = [bare[index], bareCosts[index]]
    console.log(
      `${name}: ${rate.toFixed(0)} requests/s, ${cost.toFixed(0)} µs; ` +
        `ratio ${(full / rate).toFixed(2)} by the clock, ${(cost / fullCost).toFixed(2)} by processor`,
    )
  }
}

interface Usage {
  rss: number
  peakRss: number
  cpuMicroseconds: number
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  child.send('usage')
  const [usage] = (await once(child, 'message')) as [Usage]
  return usage
}

/** In a process of its own: 1,000 questions a second. */
async function strangers(url: string) {
  let next = 0
  const { errors, ...result } = await autocannon({
    url,
    connections: STRANGERS,
    overallRate: STRANGERS,
    duration: rounds * seconds,
    requests: [
      {
        setupRequest: (request) => ({ ...request, path: `/tools/spf-check/d${next++}.example` }),
      },
    ],
  })
  return { reports: result['2xx'], refused: result['4xx'], errors }
}

async function beside({ child, url }: Served): Promise<void> {
  const duration = rounds * seconds
  const page = () =>
    autocannon({ url: `${url}/docs`, connections: 4, overallRate: PAGES_PER_SECOND, duration })
  await page()
  const alone = await page()
  const before = (await usageOf(child)).rss / MB
  const crowd = fork(fileURLToPath(import.meta.url), { env: { ...process.env, STRANGERS_AT: url } })
  const [crowded, [asked]] = await Promise.all([
    page(),
    once(crowd, 'message') as Promise<[Awaited<ReturnType<typeof strangers>>]>,
  ])
  const peak = (await usageOf(child)).peakRss / MB
  if (crowded['2xx'] < alone['2xx'] / 2) throw new Error(`${crowded['2xx']} pages beside them`)
  const [quiet, loud] = [alone.latency.p99, crowded.latency.p99]
  console.log(
    `beside ${STRANGERS} strangers: ${asked.reports} reports, ${asked.refused} times 429, ${asked.errors} errors`,
  )
  console.log(`the page: p99 ${quiet} ms alone, ${loud} ms beside them, ${crowded.non2xx} refused`)
  console.log(`ratio of p99: ${(loud / Math.max(1, quiet)).toFixed(1)}`)
  console.log(`memory: ${before.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB`)
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const { STRANGERS_AT } = process.env
if (STRANGERS_AT) {
  process.send?.(await strangers(STRANGERS_AT))
  process.disconnect()
} else if (process.send) await serve()
else await measure()
