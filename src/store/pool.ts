import {
  type Client,
  connect,
  connectionLost,
  type Lane,
  openLane,
  type Query,
  run,
  setting,
  tell,
} from './lane.ts'
import { createQueue } from './queue.ts'
import { makeHandle, runTransaction } from './transaction.ts'

interface Pool {
  /** The driver's interface over all connections, on behalf of no organization. */
  sql: Client
  /** The same connections on behalf of one organization. */
  within: (organizationId: string) => Client
}

/** No policy reads it as an id: what runs on behalf of nobody is refused every tenant's row. */
const NOBODY = ''
const LOOK_EVERY_MS = 1_000
/** Handles are made again when needed: they hold nothing. */
const MOST_HANDLES = 10_000

/**
 * A pool of dedicated connections, `max` clients of one connection each.
 *
 * The driver's own pool gets slower with every query it serves (its queue keeps dead slots), puts
 * quick queries behind slow ones, and cannot tell which connection a query will run on. Row-level
 * security has to know that: the organization is a setting of the session, told before the first
 * query that needs another one than the query before it.
 *
 * A statement unanswered after `mostStatementMs`, which is longer than the server's own limit, has
 * lost its server without a word: its connection is given up.
 */
export function createPool(
  open: (onclose: () => void) => Client,
  { max, mostStatementMs }: { max: number; mostStatementMs: number },
): Pool {
  const lanes = Array.from({ length: max }, () => openLane(open))
  const [first] = lanes
  if (!first) throw new RangeError('a pool has at least one connection')
  const { client } = first
  const waiting = createQueue<(lane: Lane) => void>()
  // One connection is kept from transactions, so that a query beside them always finds its way.
  const mostTransactions = Math.max(1, max - 1)
  const waitingToBegin = createQueue<() => void>()
  const handles = new Map<string, Client>()
  let transactions = 0
  let isEnded = false
  const look = setInterval(() => {
    const oldest = performance.now() - mostStatementMs
    for (const lane of lanes) if (lane.query && lane.startedAt < oldest) lane.replace()
  }, LOOK_EVERY_MS).unref()

  /** An idle connection, best one that was told this organization; else the next to become idle. */
  function withLane(organization: string, use: (lane: Lane) => void): void {
    let idle: Lane | undefined
    for (const lane of lanes) {
      if (lane.isBusy) continue
      if (idle === undefined || lane.organization === organization) idle = lane
    }
    if (!idle) {
      waiting.push(use)
      return
    }
    idle.isBusy = true
    use(idle)
  }

  function release(lane: Lane): void {
    const next = waiting.shift()
    if (next) next(lane)
    else lane.isBusy = false
  }

  /** The driver asks for this when a query is awaited; of a fragment nobody ever does. */
  function route(made: unknown, organization: string): unknown {
    const query = made as Query
    query.handler = () => withLane(organization, (lane) => start(lane, query, organization))
    return made
  }

  function start(lane: Lane, query: Query, organization: string): void {
    const free = (): void => release(lane)
    if (isEnded) {
      free()
      query.reject(connectionLost('CONNECTION_ENDED'))
    } else if (lane.isOpen && lane.organization === organization) {
      run(lane, query, free)
    } else {
      const ready = lane.isOpen ? tell(lane, organization) : connect(lane, organization)
      ready.then(
        () => run(lane, query, free),
        (error: unknown) => {
          free()
          query.reject(error)
        },
      )
    }
  }

  async function begin(organization: string, work: (tx: unknown) => unknown): Promise<unknown> {
    if (transactions < mostTransactions) transactions++
    else await new Promise<void>((resolve) => waitingToBegin.push(resolve))
    const lane = await new Promise<Lane>((resolve) => withLane(organization, resolve))
    try {
      if (isEnded) throw connectionLost('CONNECTION_ENDED')
      if (!lane.isOpen) await connect(lane, organization)
      return await runTransaction(lane, `begin; ${setting('local', organization)}`, work)
    } finally {
      const next = waitingToBegin.shift()
      if (next) next()
      else transactions--
      release(lane)
    }
  }

  const handle = (organization: string): Client =>
    makeHandle(client, (made) => route(made, organization), {
      begin: (work: (tx: unknown) => unknown) => begin(organization, work),
      end: async (options?: { timeout?: number }) => {
        isEnded = true
        clearInterval(look)
        await Promise.all(lanes.map((lane) => lane.client.end(options)))
      },
    })

  return {
    sql: handle(NOBODY),
    within: (organizationId) => {
      const known = handles.get(organizationId)
      if (known) return known
      if (handles.size >= MOST_HANDLES) handles.clear()
      const made = handle(organizationId)
      handles.set(organizationId, made)
      return made
    },
  }
}
