/**
 * RSS of the worker process while it sends a large batch: `npx tsx test/bench/worker-memory.ts
 * [contacts] [rate]`. Compiled JavaScript, so `npm run build` first. Prints a sample every ten
 * seconds, the peak, and the figures.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { runMainJob } from '../../src/main/dev/main-job.ts'
import { startSystem } from '../../src/main/dev/system.ts'

const [contacts = 100_000, rate = 5_000] = process.argv.slice(2).map(Number)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = await mkdtemp(join(tmpdir(), 'letterloom-memory-'))
const system = await startSystem(readConfig(), folder, say)
const samples: { seconds: number; megabytes: number; sent: number }[] = []
let sent = 0
const startedAt = performance.now()
const timer = setInterval(() => {
  const pid = system.worker.pid()
  const status = pid === undefined ? '' : readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  samples.push({ seconds, megabytes: Math.round(kilobytes / 1024), sent })
  if (samples.length % 10 === 0) say(JSON.stringify(samples.at(-1)))
}, 1_000)
try {
  const { batch, sendSeconds, checks } = await runMainJob(system, {
    contacts,
    rate,
    say,
    onProgress: (figures) => {
      sent = figures.sent
    },
  })
  const wrong = checks.filter(({ expected: wanted, actual: found }) => wanted !== found)
  const sending = samples.filter((each) => each.sent > 0 && each.sent < contacts)
  const half = sending.slice(Math.floor(sending.length / 2))
  say(`peak ${Math.max(...samples.map(({ megabytes }) => megabytes))} MB`)
  say(
    `second half of the sending: ${Math.min(...half.map((each) => each.megabytes))} to ${Math.max(...half.map((each) => each.megabytes))} MB`,
  )
  say(
    `${batch.sent} sent in ${sendSeconds.toFixed(1)} s: ${Math.round(batch.sent / sendSeconds)}/s`,
  )
  say(wrong.length === 0 ? 'all figures add up' : JSON.stringify(wrong))
} finally {
  clearInterval(timer)
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}
