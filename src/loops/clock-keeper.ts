import { readClock } from '../store/platform/clock.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 30_000
/** An answer that took longer says too little about when it was given. */
const SLOWEST_MS = 5_000
/** A smaller difference changes nothing that a person would notice, and is not made up for. */
const WRONG_MS = 30_000

interface Options {
  sql: Sql
  log: Log
  /** This machine's clock: milliseconds since 1970. */
  clock?: () => number
  everyMs?: number
}

export interface Clock {
  /** Milliseconds since 1970: of Postgres where this machine's clock is wrong, else its own. */
  now: () => number
  /** Milliseconds that this machine is ahead of Postgres; 0: less than half a minute. */
  aheadMs: () => number
  stop: () => Promise<void>
}

/**
 * Compares this machine's clock with that of Postgres, which decides everywhere. A process whose
 * clock is wrong says so, and goes by Postgres': an API would blame its callers else.
 */
export function startClockKeeper({
  sql,
  log,
  clock = Date.now,
  everyMs = EVERY_MS,
}: Options): Clock {
  let aheadMs = 0
  const loop = startLoop({
    name: 'clock-keeper',
    idleMs: everyMs,
    log,
    round: async () => {
      const startedAt = performance.now()
      const there = await readClock(sql)
      const tookMs = performance.now() - startedAt
      if (tookMs > SLOWEST_MS) return false
      const ahead = Math.round(clock() - tookMs / 2 - there)
      aheadMs = Math.abs(ahead) > WRONG_MS ? ahead : 0
      if (aheadMs !== 0) {
        log.warn({ aheadSeconds: Math.round(ahead / 1_000) }, 'the clock of this machine is wrong')
      }
      return false
    },
  })
  return { now: () => clock() - aheadMs, aheadMs: () => aheadMs, stop: () => loop.stop() }
}
