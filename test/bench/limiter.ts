import { createLimiter, type Limiter } from '../../api/limits/limiter.ts'
import type { Window } from '../../api/limits/decision.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect } from '../../src/store/db/sql.ts'
import { connectAs } from '../support/logins.ts'

/**
 * What a decision of the rate limiter costs this process, and how far it is from an exact count.
 * Run by hand, with an empty database that this may fill:
 *
 *   npx tsx test/bench/limiter.ts postgres://…
 */
const [databaseUrl = ''] = process.argv.slice(2)
const CALLER_COUNTS = [1, 64]
const DAY = 86_400
const PLANS: Record<string, Window[]> = {
  free: [
    { limit: 50, seconds: 60 },
    { limit: 1_000, seconds: DAY },
  ],
  growth: [
    { limit: 2_000, seconds: 60 },
    { limit: 200_000, seconds: DAY },
  ],
  enterprise: [
    { limit: 10_000, seconds: 60 },
    { limit: 2_000_000, seconds: DAY },
  ],
}
const REQUESTS = 40_000
const REFUSALS = 200_000
const STEPS = 400
const MOST_AT_ONCE = 0.08

const open = () => connectAs(databaseUrl, { name: 'bench', role: 'letterloom_api', max: 2 })
const log = { error: (about: object, message: string) => console.error(message, about) }

/** Most of the minute's limit for one organization after another, by some callers at once. */
async function measure(limiter: Limiter, windows: Window[], requests: number, callers: number) {
  const each = Math.floor((windows[0]?.limit ?? 0) * 0.8)
  let subject = uuidv7()
  let left = each
  let done = 0
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const caller = async (): Promise<void> => {
    while (done < requests) {
      done++
      if (left-- === 0) {
        subject = uuidv7()
        left = each
      }
      await limiter.take(subject, windows)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  return { microseconds: (user + system) / done, perSecond: done / seconds }
}

/** Quiet, steady and bursts; the worst difference to a log of every request, of the limit. */
async function compare(windows: Window[]): Promise<{ over: number; under: number }> {
  let at = 1_800_000_000_000
  const limiters = [1, 2].map(() => createLimiter({ open, log, deadlineMs: 10_000, now: () => at }))
  const subject = uuidv7()
  const passed: number[] = []
  const worst = { over: 0, under: 0 }
  const limit = windows[0]?.limit ?? 0
  for (let step = 0; step < STEPS; step++) {
    if (step % 5 > 0) at += Math.floor(Math.random() * 4_000 * (step % 97 === 1 ? 20 : 1))
    const count = 1 + Math.floor(Math.random() * limit * MOST_AT_ONCE)
    const limiter = limiters[step % 2]
    if (!limiter) continue
    const decisions = await Promise.all(
      Array.from({ length: count }, async () => limiter.take(subject, windows)),
    )
    for (const { allowed } of decisions) if (allowed) passed.push(at)
    const room = windows.map(
      (window) => window.limit - passed.filter((time) => time > at - window.seconds * 1_000).length,
    )
    const tightest = Math.min(...room)
    worst.over = Math.max(worst.over, -tightest)
    if (decisions.some(({ allowed }) => !allowed)) worst.under = Math.max(worst.under, tightest)
  }
  for (const limiter of limiters) await limiter.close()
  return { over: (worst.over / limit) * 100, under: (worst.under / limit) * 100 }
}

const sql = connect(databaseUrl, { name: 'bench', max: 1 })
await migrate(sql)
const limiter = createLimiter({ open, log, deadlineMs: 10_000 })
await measure(limiter, PLANS['enterprise'] ?? [], 20_000, 64)
for (const [plan, windows] of Object.entries(PLANS)) {
  for (const callers of CALLER_COUNTS) {
    const requests = callers === 1 ? REQUESTS / 10 : REQUESTS
    const { microseconds, perSecond } = await measure(limiter, windows, requests, callers)
    console.log(
      `${plan}, ${callers} at once: ${microseconds.toFixed(1)} µs of CPU a request, ${Math.round(perSecond)}/s`,
    )
  }
  const { over, under } = await compare(windows)
  console.log(
    `${plan}: a limit passed by ${over.toFixed(1)} %, refused too early ${under.toFixed(1)} %`,
  )
}
const refused = uuidv7()
const tiny = [{ limit: 1, seconds: 60 }]
await limiter.take(refused, tiny)
await limiter.take(refused, tiny)
const cpu = process.cpuUsage()
for (let i = 0; i < REFUSALS; i++) await limiter.take(refused, tiny)
const used = process.cpuUsage(cpu)
console.log(`refused: ${((used.user + used.system) / REFUSALS).toFixed(2)} µs of CPU a request`)
await limiter.close()
await sql.end()
