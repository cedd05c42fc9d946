import { setImmediate } from 'node:timers/promises'
import type { Sql } from '../../src/store/db/sql.ts'
import * as rateLimits from '../../src/store/platform/rate-limits.ts'
import type { Window } from './decision.ts'
import type { Leases } from './leases.ts'

interface QueueOptions {
  open: () => Sql
  log: { error: (about: object, message: string) => void }
  leases: Leases
  deadlineMs: number
  now: (() => number) | undefined
}

/**
 * The store's decision about a subject, and the request's place among those that asked together.
 * `granted` includes the rest of the lease. The first request has `spare`, which none of them
 * needs.
 */
type Answer = rateLimits.Grant & { place: number; spare: number }
interface Group {
  windows: readonly Window[]
  resolve: ((answer: Answer | undefined) => void)[]
  remainingRequests: number
}

/** Time after a failure during which nobody waits. Then one statement tries again. */
const PAUSE_MS = 1_000
/** A connection is dropped if its statement hangs for this many deadlines. */
const GIVE_UP_DEADLINES = 20
const ALARM_EVERY_MS = 10_000

/**
 * Asks the store with one statement at a time. Requests that arrive meanwhile form the next set,
 * grouped by subject and bounded by the set's size. While the store fails or hangs, the answer is
 * undefined at once.
 */
export function createStoreQueue({ open, log, leases, deadlineMs, now }: QueueOptions) {
  let sql = open()
  let waiting = new Map<string, Group>()
  let draining: Promise<void> | undefined
  let isLate = false
  let pausedUntil = 0
  let alarmedAt = -ALARM_EVERY_MS

  async function ask(subject: string, windows: readonly Window[]): Promise<Answer | undefined> {
    if (isLate || performance.now() < pausedUntil) return undefined
    const group = waiting.get(subject) ?? { windows, resolve: [], remainingRequests: 0 }
    group.windows = windows
    waiting.set(subject, group)
    draining ??= drain()
    return new Promise((resolve) => group.resolve.push(resolve))
  }

  async function drain(): Promise<void> {
    // Waits a moment, so that requests that arrive together are decided together.
    await setImmediate()
    while (waiting.size > 0) {
      const set = waiting
      waiting = new Map()
      await run(set)
    }
    draining = undefined
  }

  async function run(set: Map<string, Group>): Promise<void> {
    const late = setTimeout(() => {
      isLate = true
      alarm(new Error(`the store of the rate limits did not answer in ${deadlineMs} ms`))
      for (const group of [...set.values(), ...waiting.values()]) settle(group, undefined)
      waiting = new Map()
    }, deadlineMs)
    const lost = setTimeout(() => {
      void sql.end({ timeout: 0 })
      sql = open()
    }, deadlineMs * GIVE_UP_DEADLINES)
    try {
      const asks = [...set].map(([subject, group]) => {
        const { windows, resolve } = group
        const { remainingRequests, most } = leases.claim(subject, windows)
        group.remainingRequests = remainingRequests
        return {
          subject,
          seconds: windows.map(({ seconds }) => seconds),
          limits: windows.map(({ limit }) => limit),
          want: Math.max(0, resolve.length + most - remainingRequests),
        }
      })
      for (const grant of await rateLimits.take(sql, asks, now?.())) {
        settle(set.get(grant.subject), grant)
      }
    } catch (error) {
      alarm(error)
      pausedUntil = performance.now() + PAUSE_MS
    }
    clearTimeout(late)
    clearTimeout(lost)
    isLate = false
    for (const group of set.values()) settle(group, undefined)
  }

  /** Does nothing for a group that was settled before. */
  function settle(group: Group | undefined, grant: rateLimits.Grant | undefined): void {
    const resolve = group?.resolve.splice(0) ?? []
    const granted = (grant?.granted ?? 0) + (group?.remainingRequests ?? 0)
    const unused = Math.max(0, granted - resolve.length)
    for (const [place, each] of resolve.entries()) {
      each(grant && { ...grant, granted, place, spare: place === 0 ? unused : 0 })
    }
  }

  function alarm(error: unknown): void {
    if (performance.now() - alarmedAt < ALARM_EVERY_MS) return
    alarmedAt = performance.now()
    log.error({ err: error }, 'rate limits are open: their store fails')
  }

  return {
    ask,
    store: () => sql,
    async close(): Promise<void> {
      pausedUntil = Infinity
      const patience = new Promise((resolve) => setTimeout(resolve, deadlineMs).unref())
      await Promise.race([draining, patience])
      await sql.end({ timeout: 1 })
    },
  }
}
