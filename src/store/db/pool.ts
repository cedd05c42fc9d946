import { setTimeout as sleep } from 'node:timers/promises'
import { poolMeter } from '../../runtime/metrics.ts'
import { createGate } from './gate.ts'
import { connectionLost, type Session, setting } from './session.ts'
import { type Executor, executor, type Query } from './statement.ts'
import { runTransaction, type Work } from './transaction.ts'

/** A pool of connections on behalf of one organization, or of none. */
export interface Sql extends Executor {
  begin<T>(work: Work<T>): Promise<T>
  /**
   * Refuses waiting queries, gives running ones `timeout` seconds, then closes every connection.
   */
  end(options?: { timeout?: number }): Promise<void>
}

/** No policy accepts it as an id, so queries on behalf of nobody see no tenant's rows. */
const NOBODY = ''
const LOOK_EVERY_MS = 1_000
const MOST_ENDING_SECONDS = 5

/**
 * A pool of at most `max` sessions. Its waits and uses are measured by its name.
 *
 * The driver's own pool (postgres.js 3.4.9) gets slower with every query, because its queue keeps
 * dead slots: 30 µs a query at first, 93 µs after 300,000 (docs/benchmarks.md). It puts quick
 * queries behind slow ones and cannot tell which connection will run a query. Row-level security
 * has to know that: the organization is a setting of the session, which is set before the first
 * query of another organization. `sql.reserve()` would tell, but waits in the same queues, and a
 * lost reserved connection ends the process when written to.
 */
export function createPool(
  open: (onLost: (session: Session) => void) => Session,
  { name, max }: { name: string; max: number },
) {
  const meter = poolMeter(name)
  const sessions = new Set<Session>()
  let idle: Session[] = []
  const places = createGate(max)
  // One connection is reserved for queries outside of transactions.
  const transactions = createGate(Math.max(1, max - 1))
  let ending: Promise<void> | undefined
  const timer = setInterval(() => {
    for (const session of sessions) session.look()
  }, LOOK_EVERY_MS).unref()

  /** Takes an idle session, preferably one of this organization, else the one idle for longest. */
  function take(organization: string): Session {
    const at = idle.findLastIndex((session) => session.organization === organization)
    const [session] = idle.splice(Math.max(0, at), 1)
    if (session) return session
    const opened = open((lost) => {
      sessions.delete(lost)
      idle = idle.filter((each) => each !== lost)
    })
    sessions.add(opened)
    return opened
  }

  const entry = (gate: typeof places): Promise<void> =>
    gate.isFull() ? meter.wait(gate.enter()) : gate.enter()

  async function use<T>(organization: string, act: (session: Session) => Promise<T>): Promise<T> {
    await entry(places)
    const startedAt = performance.now()
    let session: Session | undefined
    try {
      session = take(organization)
      return await act(session)
    } finally {
      if (session?.isLost === false) idle.push(session)
      meter.use(startedAt)
      places.leave()
    }
  }

  /**
   * Awaited before the query is sent: in one packet, the query would run even if this was refused.
   */
  async function tell(session: Session, organization: string): Promise<void> {
    session.organization = undefined
    await session.ask({ text: setting('session', organization), values: [], isPrepared: false })
    session.organization = organization
  }

  async function begin<T>(organization: string, work: Work<T>): Promise<T> {
    await entry(transactions)
    try {
      return await use(organization, async (session) => {
        if (session.organization === undefined) await tell(session, organization)
        return runTransaction(session, `begin; ${setting('local', organization)}`, work)
      })
    } finally {
      transactions.leave()
    }
  }

  async function end(seconds: number): Promise<void> {
    clearInterval(timer)
    const refusal = connectionLost('CONNECTION_ENDED')
    const allIdle = Promise.all([transactions.close(refusal), places.close(refusal)])
    await Promise.race([allIdle, sleep(seconds * 1_000, undefined, { ref: false })])
    await Promise.all([...sessions].map((session) => session.close()))
  }

  function within(organization: string): Sql {
    const run = (query: Query) =>
      use(organization, async (session) => {
        if (session.organization !== organization) await tell(session, organization)
        return session.ask(query)
      })
    return executor(run, {
      begin: <T>(work: Work<T>) => begin(organization, work),
      end: ({ timeout = MOST_ENDING_SECONDS }: { timeout?: number } = {}) =>
        (ending ??= end(timeout)),
    })
  }
  return { sql: within(NOBODY), within }
}
