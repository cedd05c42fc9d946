import { createLimiter, type Limiter } from '../../api/limiter.ts'
import { decide, type Decision, type Window } from '../../api/limiter-decision.ts'
import { uuidv7 } from '../../src/ids.ts'
import { migrate } from '../../src/store/migrate.ts'
import { connect } from '../../src/store/sql.ts'

/**
 * What a decision of the rate limiter costs this process, as a ratio to one that counts in memory
 * only. Run by hand, with an empty database that this may fill:
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
  scale: [
    { limit: 5_000, seconds: 60 },
    { limit: 500_000, seconds: DAY },
  ],
  enterprise: [
    { limit: 10_000, seconds: 60 },
    { limit: 2_000_000, seconds: DAY },
  ],
}
const REQUESTS = 40_000
const MEMORY_REQUESTS = 1_000_000

interface Run {
  microseconds: number
  perSecond: number
  allowed: number
}

/** Counts in memory and nowhere else: what the shared limiter is compared with. */
function memoryLimiter(): Pick<Limiter, 'take'> {
  const subjects = new Map<string, { used: number; since: number }>()
  return {
    take(subject, windows): Decision {
      const time = performance.now()
      let entry = subjects.get(subject)
      if (!entry || time - entry.since > 60_000) {
        entry = { used: 0, since: time }
        subjects.set(subject, entry)
      }
      const { used, since } = entry
      const remaining = windows.map(({ limit }) => limit - used)
      const allowed = remaining.every((left) => left > 0)
      if (allowed) entry.used++
      const freesAt = windows.map(({ seconds }) => since + seconds * 1_000)
      return decide(allowed, { windows, remaining, freesAt }, 0, time)
    },
  }
}

/** Most of the minute's limit for one organization after another, by some callers at once. */
async function measure(
  limiter: Pick<Limiter, 'take'>,
  windows: Window[],
  { requests, callers = 64 }: { requests: number; callers?: number },
): Promise<Run> {
  const each = Math.floor((windows[0]?.limit ?? 0) * 0.8)
  let subject = uuidv7()
  let left = each
  let done = 0
  let allowed = 0
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const caller = async (): Promise<void> => {
    while (done < requests) {
      done++
      if (left-- === 0) {
        subject = uuidv7()
        left = each
      }
      const decision = limiter.take(subject, windows)
      if (('then' in decision ? await decision : decision).allowed) allowed++
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  return {
    microseconds: (user + system) / done,
    perSecond: done / seconds,
    allowed: allowed / done,
  }
}

const sql = connect(databaseUrl, { name: 'bench', max: 1 })
await migrate(sql)
const limiter = createLimiter({
  open: () => connect(databaseUrl, { name: 'bench', role: 'letterloom_api', max: 2 }),
  log: { error: (about, message) => console.error(message, about) },
  deadlineMs: 10_000,
})
const enterprise = PLANS['enterprise'] ?? []
await measure(limiter, enterprise, { requests: 20_000 })
await measure(memoryLimiter(), enterprise, { requests: 100_000 })
const baseline = await measure(memoryLimiter(), enterprise, { requests: MEMORY_REQUESTS })
console.log(`memory only: ${baseline.microseconds.toFixed(2)} µs of CPU a request`)
for (const [plan, windows] of Object.entries(PLANS)) {
  for (const callers of CALLER_COUNTS) await show(plan, windows, callers)
}

async function show(plan: string, windows: Window[], callers: number): Promise<void> {
  const requests = callers === 1 ? REQUESTS / 10 : REQUESTS
  const { microseconds, perSecond, allowed } = await measure(limiter, windows, {
    requests,
    callers,
  })
  console.log(
    `${plan}, ${callers} at once: ${microseconds.toFixed(1)} µs of CPU a request, ${(microseconds / baseline.microseconds).toFixed(1)} times memory only (${Math.round(perSecond)}/s, ${Math.round(allowed * 100)} % let through)`,
  )
}
const refused = uuidv7()
const tiny = [{ limit: 1, seconds: 60 }]
await limiter.take(refused, tiny)
await limiter.take(refused, tiny)
const cpu = process.cpuUsage()
for (let i = 0; i < MEMORY_REQUESTS; i++) void limiter.take(refused, tiny)
const used = process.cpuUsage(cpu)
console.log(
  `refused: ${((used.user + used.system) / MEMORY_REQUESTS).toFixed(2)} µs of CPU a request`,
)
await limiter.close()
await sql.end()
