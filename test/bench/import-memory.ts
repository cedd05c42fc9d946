/**
 * A large import through the whole system: memory of API and worker, and kill -9 of both:
 * `npm run build && npx tsx test/bench/import-memory.ts [rows] [kills]`.
 *
 * Four imports of a tenth warm both programs: V8 lets its young generation grow to its full size
 * while there is work, whatever the work is. What the large one takes above that is its cost.
 * Prints both peaks, and whether every row is there exactly once.
 */
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import type { RunningProgram } from '../../src/main/programs.ts'
import { startSystem } from '../../src/main/system.ts'
import {
  ended,
  figuresOf,
  fileOf,
  killAtRandom,
  newCustomer,
  send,
  wanted,
} from '../support/large-import.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const [rows = 1_000_000, kills = 0] = positionals.map(Number)
const KILLS_WITHIN_MS = 60_000
const SAMPLE_MS = 250
const WARM = 4

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = await mkdtemp(join(tmpdir(), 'letterloom-import-'))
await chmod(folder, 0o755)
const ports = ['PORT', 'POSTGRES_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'SANDBOX_PORT']
const config = readConfig({
  LETTERLOOM_HOME: folder,
  ...Object.fromEntries(ports.map((name) => [name, '0'])),
})
const system = await startSystem(config, folder, () => {})

const peaks = { api: 0, worker: 0 }
const megabytes = (program: RunningProgram): number => {
  const pid = program.pid()
  try {
    const status = pid === undefined ? '' : readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}
const timer = setInterval(() => {
  peaks.api = Math.max(peaks.api, megabytes(system.api))
  peaks.worker = Math.max(peaks.worker, megabytes(system.worker))
}, SAMPLE_MS)

async function run(count: number, killed: number) {
  Object.assign(peaks, { api: 0, worker: 0 })
  const customer = await newCustomer(system)
  const begunAt = performance.now()
  const { status, body } = await send(system, customer, fileOf(count))
  const receivedAt = performance.now()
  const [after] = await Promise.all([
    ended(system, customer, body.id),
    killAtRandom(system, killed, KILLS_WITHIN_MS),
  ])
  const endedAt = performance.now()
  const seconds = (from: number, to: number): string => ((to - from) / 1000).toFixed(1)
  say(
    `${count} rows: ${status} after ${seconds(begunAt, receivedAt)} s, ${String(after['status'])} ${seconds(receivedAt, endedAt)} s later; peak RSS: API ${peaks.api} MB, worker ${peaks.worker} MB`,
  )
  const found = await figuresOf(system, customer, body.id)
  say(
    isDeepStrictEqual(found, wanted(count))
      ? `every row exactly once, ${found.reported.length} failed rows reported`
      : `WRONG: ${JSON.stringify({ ...found, reported: found.reported.length })}`,
  )
  return { ...peaks }
}

try {
  for (let warm = 1; warm < WARM; warm++) await run(rows / 10, 0)
  const small = await run(rows / 10, 0)
  const large = await run(rows, kills)
  say(
    `above the last small one: API ${large.api - small.api} MB, worker ${large.worker - small.worker} MB`,
  )
} finally {
  clearInterval(timer)
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}
