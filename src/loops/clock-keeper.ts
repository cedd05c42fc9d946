import { readClock } from '../store/platform/clock.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 30_000
/** Duration of a query above which its answer says too little about its time. */
const SLOWEST_MS = 5_000
/** Difference that a person would notice. Smaller ones are not corrected. */
const WRONG_MS = 30_000

interface Options {
  sql: Sql
  log: Log
  /** This machine's clock: milliseconds since 1970. */
  clock?: () => number
  everyMs?: number
}

export interface Clock {
  /**
   * Milliseconds since 1970: of Postgres if this machine's clock is wrong, otherwise of the
   * machine.
   */
  now: () => number
  /** Milliseconds that this machine is ahead of Postgres. 0: less than half a minute. */
  aheadMs: () => number
  stop: () => Promise<void>
}

/**
 * Compares this machine's clock with that of Postgres, which decides everywhere. A process with a
 * wrong clock logs it and uses Postgres' time. Otherwise an API would blame its callers.
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
