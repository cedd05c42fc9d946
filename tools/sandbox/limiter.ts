import type { Sql } from '../../src/store/db/sql.ts'
import type { Account } from './accounts.ts'

/** SES allows short bursts, so the bucket holds two seconds of the rate. */
const BURST_SECONDS = 2
const SLOT_MS = 60_000
const DAY_SLOTS = 1_440

interface Usage {
  tokens: number
  filledAt: number
  /** Recipients by minute of the last 24 hours. */
  slots: Map<number, number>
  total: number
}

/** Sending rate and 24-hour quota of each account and region. */
export async function loadLimiter(sql: Sql) {
  const usages = new Map<string, Usage>()

  const usageOf = ({ accountNumber, region }: Pick<Account, 'accountNumber' | 'region'>): Usage => {
    const key = `${accountNumber} ${region}`
    const usage = usages.get(key) ?? {
      tokens: Number.POSITIVE_INFINITY,
      filledAt: performance.now(),
      slots: new Map<number, number>(),
      total: 0,
    }
    usages.set(key, usage)
    const oldest = Math.floor(Date.now() / SLOT_MS) - DAY_SLOTS
    for (const [slot, count] of usage.slots) {
      if (slot > oldest) break
      usage.slots.delete(slot)
      usage.total -= count
    }
    return usage
  }

  const used = (usage: Usage, count: number, slot = Math.floor(Date.now() / SLOT_MS)): void => {
    usage.slots.set(slot, (usage.slots.get(slot) ?? 0) + count)
    usage.total += count
  }

  const rows = await sql<{ account: string; region: string; slot: number; count: number }[]>`
    select account, region, (extract(epoch from accepted_at) / 60)::bigint as slot, count(*) as count
    from sandbox.mails
    where accepted_at > ${new Date(Date.now() - DAY_SLOTS * SLOT_MS).toISOString()}
    group by 1, 2, 3
    order by 3`
  for (const { account: accountNumber, region, slot, count } of rows) {
    used(usageOf({ accountNumber, region }), count, slot)
  }

  return {
    sentLast24Hours: (account: Account): number => usageOf(account).total,

    /** Takes `count` recipients from both, or nothing and returns what is used up. */
    take: (account: Account, count: number): 'ok' | 'rate' | 'quota' => {
      const usage = usageOf(account)
      if (account.max24Hour >= 0 && usage.total + count > account.max24Hour) return 'quota'
      const now = performance.now()
      const capacity = Math.max(1, account.maxSendRate * BURST_SECONDS)
      const filled = usage.tokens + ((now - usage.filledAt) / 1_000) * account.maxSendRate
      usage.tokens = Math.min(capacity, filled)
      usage.filledAt = now
      // A mail to more recipients than the bucket holds still leaves when the bucket is full.
      if (usage.tokens < Math.min(count, capacity)) return 'rate'
      usage.tokens -= count
      used(usage, count)
      return 'ok'
    },

    /** Forgets all usage. */
    reset: (): void => usages.clear(),
  }
}
export type Limiter = Awaited<ReturnType<typeof loadLimiter>>
