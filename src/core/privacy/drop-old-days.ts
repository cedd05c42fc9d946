import { setTimeout as sleep } from 'node:timers/promises'
import * as plans from '../../store/access/plans.ts'
import { type Executor, isLockUnavailable, type Sql, transact } from '../../store/db/sql.ts'
import * as oldDays from '../../store/privacy/old-days.ts'

const DAY_MS = 86_400_000
/** Delivery events that were applied, and outbox messages that are done. */
const QUEUE_DAYS = 30
/** Tries to have the tables alone for a moment; the next run of the schedule tries again. */
const TRIES = 20
const PAUSE_MS = 1_000

export interface DroppedDays {
  /** Days of tables whose partitions were dropped. */
  dropped: number
  /** Kept, since something of them is still to be done. */
  held: number
  /** Kept, since others were at work with the tables all the time. */
  busy: number
}

interface Options {
  /** Milliseconds. */
  now: number
  tries?: number
  pauseMs?: number
  signal?: AbortSignal
}

interface Days {
  tables: readonly oldDays.DailyTable[]
  keptDays: (longestDays: number) => number
  isHeld?: (sql: Executor, day: string) => Promise<boolean>
  /** Asked once more when nobody else has the tables. */
  isHeldStill?: (sql: Executor, day: string) => Promise<boolean>
}

/** Tables whose partitions are dropped, those of a line together. */
const DAYS: readonly Days[] = [
  {
    tables: oldDays.LEDGER,
    keptDays: (longestDays) => longestDays,
    isHeld: async (sql, day) =>
      (await oldDays.isBeingMailed(sql, day)) || (await oldDays.isQueued(sql, day)),
    isHeldStill: oldDays.isBeingMailed,
  },
  { tables: ['events'], keptDays: (longestDays) => longestDays },
  { tables: ['inbound_events'], keptDays: () => QUEUE_DAYS, isHeld: oldDays.hasWaitingEvent },
  { tables: ['outbox'], keptDays: () => QUEUE_DAYS, isHeld: oldDays.hasWaitingMessage },
]

/**
 * Drops the partitions of days that no plan keeps any more. Mails are never deleted, which would
 * take them off the figures of metrics: dropping a table tells no trigger.
 *
 * The partitions of a mail go together: an event that comes later finds no mail and is ignored,
 * while one that found its mail would miss its own partition. Safe to repeat, also by two at once.
 */
export async function dropOldDays(sql: Sql, options: Options): Promise<DroppedDays> {
  const counts = { dropped: 0, held: 0, busy: 0 }
  const longestDays = await plans.findLongestRetention(sql)
  for (const days of DAYS) {
    const before = dayOf(options.now - days.keptDays(longestDays) * DAY_MS)
    for (const day of await oldDays.list(sql, days.tables, before)) {
      counts[await dropDay(sql, days, day, options)]++
    }
  }
  return counts
}

class Held extends Error {}

async function dropDay(
  sql: Sql,
  { tables, isHeld, isHeldStill }: Days,
  day: string,
  { tries = TRIES, pauseMs = PAUSE_MS, signal }: Options,
): Promise<keyof DroppedDays> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    if (await isHeld?.(sql, day)) return 'held'
    try {
      await transact(sql, async (tx) => {
        await oldDays.drop(tx, tables, day)
        if (await isHeldStill?.(tx, day)) throw new Held()
      })
      return 'dropped'
    } catch (error) {
      if (error instanceof Held) return 'held'
      if (!isLockUnavailable(error)) throw error
      if (attempt >= tries) return 'busy'
    }
    await sleep(pauseMs, undefined, signal ? { signal } : undefined)
  }
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
