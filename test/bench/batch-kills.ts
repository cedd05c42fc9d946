/**
 * Kills workers (-9) while they send a large batch, and compares every figure afterwards: nobody
 * may be left out or mailed twice.
 *
 *   npm run build && npx tsx test/bench/batch-kills.ts [recipients] [kills] [workers] [rate]
 *
 * The whole system runs for it, compiled, with delivery events and the timings of tests, and is
 * thrown away afterwards. It also says how much memory a worker used at most.
 */
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { runMainJob } from '../../src/main/dev/main-job.ts'
import { startSystem } from '../../src/main/dev/system.ts'

const [RECIPIENTS = 100_000, KILLS = 20, WORKERS = 1, RATE = 1_000] = process.argv
  .slice(2)
  .map(Number)
const MEMORY_EVERY_MS = 500
const POLL_MS = 20
/** A killed worker that sends again is given so long at most before the next kill. */
const MOST_GAP_MS = 4_000
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const folder = await mkdtemp(join(tmpdir(), 'letterloom-kills-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, () => {})
const workers = [system.worker]
while (workers.length < WORKERS) workers.push(system.startWorker())
let mostKilobytes = 0
const memory = setInterval(() => {
  for (const worker of workers) mostKilobytes = Math.max(mostKilobytes, kilobytesOf(worker.pid()))
}, MEMORY_EVERY_MS)
let sent = 0
try {
  const startedAt = performance.now()
  const job = runMainJob(system, {
    contacts: RECIPIENTS,
    rate: RATE,
    say,
    onProgress: (batch) => {
      sent = batch.sent
    },
  })
  const over = job.then(
    () => true,
    () => true,
  )
  let kills = 0
  for (; kills < KILLS; kills++) {
    // Each after its share of the batch, while mail leaves.
    const share = (RECIPIENTS * kills) / (KILLS + 1)
    if (await Promise.race([over, sendingSince(share)])) break
    await system.sql`update batches set unknown_outcome = 'retry' where status = 'processing'`
    await sleep(Math.random() * MOST_GAP_MS)
    await kill(kills)
  }
  const { checks, sendSeconds } = await job
  const wrong = checks.filter(({ expected, actual }) => expected !== actual)
  const actual = (what: string): number => checks.find((each) => each.what === what)?.actual ?? NaN
  say(`${RECIPIENTS} recipients, ${kills} kills, ${WORKERS} workers, ${sendSeconds.toFixed(0)} s:`)
  say(
    `lost ${RECIPIENTS - actual('different recipients there')}, twice ${actual('mailed twice')}, ` +
      `memory of a worker at most ${Math.round(mostKilobytes / 1024)} MB`,
  )
  say(wrong.length === 0 ? 'all figures add up' : JSON.stringify(wrong))
  say(`${((performance.now() - startedAt) / 1_000).toFixed(0)} s in all`)
  if (wrong.length > 0 || kills < KILLS) process.exitCode = 1
} finally {
  clearInterval(memory)
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Resolves with false when more than so many are sent, and mails of a claim are under way. */
async function sendingSince(count: number): Promise<boolean> {
  for (;;) {
    const [row] = await system.sql<{ live: number }[]>`
      select count(*)::int as live from claims where state = 'live'`
    if (sent >= count && (row?.live ?? 0) > 0) return false
    await sleep(POLL_MS)
  }
}

/** Kills one of the workers, in turn, and waits until its supervisor has started it again. */
async function kill(turn: number): Promise<void> {
  const worker = workers[turn % workers.length]
  let pid = worker?.pid()
  for (; pid === undefined; pid = worker?.pid()) await sleep(POLL_MS)
  process.kill(pid, 'SIGKILL')
  say(`kill ${turn + 1} at ${sent} sent`)
  while (worker?.pid() === undefined || worker.pid() === pid) await sleep(POLL_MS)
}

function kilobytesOf(pid: number | undefined): number {
  if (pid === undefined) return 0
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)
  } catch {
    return 0
  }
}
