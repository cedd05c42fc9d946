import { setTimeout as sleep } from 'node:timers/promises'
import { DELIVERY_DAYS } from '../../domain/hooks/hook-retries.ts'
import * as plans from '../../store/access/plans.ts'
import {
  type Executor,
  isLockUnavailable,
  type Sql,
  transact,
  type Transaction,
} from '../../store/db/sql.ts'
import * as hookDeliveries from '../../store/hooks/hook-deliveries.ts'
import * as oldDays from '../../store/privacy/old-days.ts'

const DAY_MS = 86_400_000
/** Retention of applied delivery events and finished outbox messages. */
const QUEUE_DAYS = 30
/** Attempts to lock the tables for a moment. The next scheduled run tries again. */
const TRIES = 20
const PAUSE_MS = 1_000

export interface DroppedDays {
  dropped: number
  held: number
  /** Days whose tables were in use all the time. */
  busy: number
}

interface Options {
  now: number
  tries?: number
  pauseMs?: number
  signal?: AbortSignal
}

interface Days {
  tables: readonly oldDays.DailyTable[]
  keptDays: (longestDays: number) => number
  isHeld?: (sql: Executor, day: string) => Promise<boolean>
  /** Asked again while nobody else can use the tables. */
  isHeldStill?: (sql: Executor, day: string) => Promise<boolean>
  /** Called in the transaction that drops the day. */
  afterDrop?: (tx: Transaction, day: string) => PromiseLike<unknown>
}

/** Tables whose partitions are dropped. Those of one line are dropped together. */
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
  {
    tables: ['hook_deliveries'],
    keptDays: () => DELIVERY_DAYS,
    afterDrop: (tx, day) => hookDeliveries.deleteWaitingBefore(tx, Date.parse(day) + DAY_MS),
  },
]

/**
 * Drops the partitions of days beyond every plan's retention. Mails are never deleted, which would
 * change the figures of metrics: dropping a table fires no trigger.
 *
 * The partitions of a mail are dropped together: a later event finds no mail and is ignored, while
 * one that found its mail would miss its own partition. Safe to repeat, also concurrently.
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
  { tables, isHeld, isHeldStill, afterDrop }: Days,
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
        await afterDrop?.(tx, day)
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
