import type { SmsSender } from './settings.ts'

/** Parts a second of each sender: a bucket that holds one second. */
export function createPartRates() {
  const buckets = new Map<string, { tokens: number; filledAt: number }>()
  return {
    /** Takes the parts of a text, or nothing and returns false. */
    take: (account: string, { identity, partsPerSecond }: SmsSender, parts: number): boolean => {
      const key = `${account} ${identity}`
      const now = performance.now()
      const bucket = buckets.get(key) ?? { tokens: partsPerSecond, filledAt: now }
      const filled = bucket.tokens + ((now - bucket.filledAt) / 1_000) * partsPerSecond
      const tokens = Math.min(partsPerSecond, filled)
      // A text of more parts than a second has leaves when the bucket is full, and is paid off.
      const isFree = tokens >= Math.min(parts, partsPerSecond)
      buckets.set(key, { tokens: isFree ? tokens - parts : tokens, filledAt: now })
      return isFree
    },
  }
}
export type PartRates = ReturnType<typeof createPartRates>
