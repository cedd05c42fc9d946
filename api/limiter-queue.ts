import type { Sql } from '../src/store/sql.ts'
import type { Window } from './limiter-decision.ts'

interface QueueOptions<Decision> {
  open: () => Sql
  log: { error: (about: object, message: string) => void }
  /** One statement; of each subject as many decisions as were wanted. */
  run: (
    sql: Sql,
    set: readonly { subject: string; windows: readonly Window[]; want: number }[],
  ) => Promise<Decision[][]>
  /** A request waits for the store so long at most; milliseconds. */
  deadlineMs: number
  /** The decision when the store fails or hangs. */
  fallback: (subject: string, windows: readonly Window[]) => Decision
}

/** After a failure nobody waits for so long; then one statement tries again. */
const PAUSE_MS = 1_000
/** A connection whose statement hangs for so many deadlines is given up. */
const GIVE_UP_DEADLINES = 20
const ALARM_EVERY_MS = 10_000
const MOST_IN_SET = 200

/**
 * Asks the store with one statement at a time: what comes meanwhile is the next set, requests of
 * one subject together. When the store fails or hangs, decisions come from `fallback` at once.
 */
export function createStoreQueue<Decision>(options: QueueOptions<Decision>) {
  const { open, log, run, fallback, deadlineMs } = options
  interface Waiting {
    windows: readonly Window[]
    resolve: ((decision: Decision) => void)[]
    timer: NodeJS.Timeout | undefined
  }
  let pending = new Map<string, Waiting>()
  let sql = open()
  let isClosed = false
  let running: { since: number; done: Promise<void> } | undefined
  let pausedUntil = 0
  let failures = 0
  let alarmedAt = -ALARM_EVERY_MS

  function ask(subject: string, windows: readonly Window[]): Decision | Promise<Decision> {
    if (isDown()) return fail(subject, windows)
    const group = join(subject, windows)
    return new Promise((resolve) => {
      group.resolve.push(resolve)
      group.timer ??= setTimeout(() => {
        if (pending.get(subject) === group) pending.delete(subject)
        alarm(new Error(`the store of the rate limits did not answer in ${deadlineMs} ms`))
        settle(subject, group, undefined)
      }, deadlineMs)
    })
  }

  function join(subject: string, windows: readonly Window[]): Waiting {
    const known = pending.get(subject)
    if (known) {
      known.windows = windows
      return known
    }
    const group: Waiting = { windows, resolve: [], timer: undefined }
    pending.set(subject, group)
    if (!running) start()
    return group
  }

  /** Begins a moment later, so that requests read from the sockets together are asked together. */
  function start(): void {
    const done = new Promise<void>((resolve) => {
      setImmediate(() => void drain(current).then(resolve))
    })
    const current = { since: performance.now(), done }
    running = current
  }

  async function drain(current: { since: number }): Promise<void> {
    while (pending.size > 0) {
      const set = [...pending].slice(0, MOST_IN_SET)
      for (const [subject] of set) pending.delete(subject)
      current.since = performance.now()
      try {
        const wanted = set.map(([subject, { windows, resolve }]) => ({
          subject,
          windows,
          want: resolve.length,
        }))
        const decisions = await run(sql, wanted)
        for (const [i, [subject, group]] of set.entries()) settle(subject, group, decisions[i])
      } catch (error) {
        if (running !== current) break
        alarm(error)
        pausedUntil = performance.now() + PAUSE_MS
        for (const [subject, group] of set) settle(subject, group, undefined)
      }
      // Given up as hanging: somebody else goes on.
      if (running !== current) return
    }
    if (running === current) running = undefined
  }

  function settle(subject: string, group: Waiting, decisions: Decision[] | undefined): void {
    clearTimeout(group.timer)
    for (const [i, resolve] of group.resolve.entries()) {
      resolve(decisions?.[i] ?? fail(subject, group.windows))
    }
    group.resolve = []
  }

  function isDown(): boolean {
    const time = performance.now()
    if (time < pausedUntil || isClosed) return true
    if (!running) return false
    const age = time - running.since
    if (age > deadlineMs * GIVE_UP_DEADLINES) giveUp()
    else if (age > deadlineMs) return true
    return false
  }

  function giveUp(): void {
    running = undefined
    pending = new Map()
    void sql.end({ timeout: 0 }).catch(() => undefined)
    sql = open()
  }

  function fail(subject: string, windows: readonly Window[]): Decision {
    failures++
    return fallback(subject, windows)
  }

  function alarm(error: unknown): void {
    const time = performance.now()
    if (time - alarmedAt < ALARM_EVERY_MS) return
    alarmedAt = time
    log.error({ err: error, requests: failures }, 'rate limits are open: their store fails')
    failures = 0
  }

  return {
    ask,
    /** Lets the store know what was counted here; nobody waits for it. */
    tell(subject: string, windows: readonly Window[]): void {
      if (!isDown()) join(subject, windows)
    },
    store: () => sql,
    async close(): Promise<void> {
      await Promise.race([
        running?.done,
        new Promise((resolve) => setTimeout(resolve, deadlineMs).unref()),
      ])
      isClosed = true
      await sql.end({ timeout: 1 })
    },
  }
}
