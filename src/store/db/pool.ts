import {
  type Client,
  type Connection,
  connect,
  connectionLost,
  type PooledConnection,
  openConnection,
  type Query,
  run,
  setting,
  tell,
} from './connection.ts'
import { createQueue } from './fifo.ts'
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
/** How long `end` lets what runs go on, unless it is told. */
const MOST_ENDING_SECONDS = 5
/** Handles are made again when needed: they hold nothing. */
const MOST_HANDLES = 10_000

/** Somebody who waits until it is their turn. */
interface Waiter<T> {
  use: (turn: T) => void
  refuse: (error: unknown) => void
}

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
  open: (onclose: () => void) => Connection,
  { max, mostStatementMs }: { max: number; mostStatementMs: number },
): Pool {
  const connections = Array.from({ length: max }, () => openConnection(open))
  const [first] = connections
  if (!first) throw new RangeError('a pool has at least one connection')
  const { client } = first
  const waiting = createQueue<Waiter<PooledConnection>>()
  // One connection is kept from transactions, so that a query beside them always finds its way.
  const mostTransactions = Math.max(1, max - 1)
  const waitingToBegin = createQueue<Waiter<void>>()
  const handles = new Map<string, Client>()
  let transactions = 0
  let ending: Promise<void> | undefined
  let onAllIdle = (): void => {}
  const look = setInterval(() => {
    const oldest = performance.now() - mostStatementMs
    for (const connection of connections)
      if (connection.query && connection.startedAt < oldest) connection.replace()
  }, LOOK_EVERY_MS).unref()

  /** An idle connection, best one that was told this organization; else the next to become idle. */
  function withLane(organization: string, waiter: Waiter<PooledConnection>): void {
    if (ending) return waiter.refuse(connectionLost('CONNECTION_ENDED'))
    let idle: PooledConnection | undefined
    for (const connection of connections) {
      if (connection.isBusy) continue
      if (idle === undefined || connection.organization === organization) idle = connection
    }
    if (!idle) {
      waiting.push(waiter)
      return
    }
    idle.isBusy = true
    waiter.use(idle)
  }

  function release(connection: PooledConnection): void {
    const next = waiting.shift()
    if (next) return next.use(connection)
    connection.isBusy = false
    if (ending && connections.every(({ isBusy }) => !isBusy)) onAllIdle()
  }

  /** The driver asks for this when a query is awaited; of a fragment nobody ever does. */
  function route(made: unknown, organization: string): unknown {
    const query = made as Query
    const use = (connection: PooledConnection): void => start(connection, query, organization)
    query.handler = () => withLane(organization, { use, refuse: query.reject })
    return made
  }

  function start(connection: PooledConnection, query: Query, organization: string): void {
    const free = (): void => release(connection)
    if (connection.isOpen && connection.organization === organization) {
      run(connection, query, free)
    } else {
      const ready = connection.isOpen
        ? tell(connection, organization)
        : connect(connection, organization)
      ready.then(
        () => run(connection, query, free),
        (error: unknown) => {
          free()
          query.reject(error)
        },
      )
    }
  }

  async function begin(organization: string, work: (tx: unknown) => unknown): Promise<unknown> {
    if (transactions < mostTransactions) transactions++
    else await turn<void>((waiter) => waitingToBegin.push(waiter))
    const connection = await turn<PooledConnection>((waiter) => withLane(organization, waiter))
    try {
      if (!connection.isOpen) await connect(connection, organization)
      return await runTransaction(connection, `begin; ${setting('local', organization)}`, work)
    } finally {
      const next = waitingToBegin.shift()
      if (next) next.use()
      else transactions--
      release(connection)
    }
  }

  /**
   * Refuses what has not begun, lets what runs go on for `timeout` seconds at most, and closes
   * every connection: a transaction whose caller waits for something else would keep it for ever.
   */
  async function end(timeout: number): Promise<void> {
    clearInterval(look)
    const refusal = connectionLost('CONNECTION_ENDED')
    for (const queue of [waitingToBegin, waiting]) {
      for (let each = queue.shift(); each; each = queue.shift()) each.refuse(refusal)
    }
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      onAllIdle = resolve
      timer = setTimeout(resolve, timeout * 1_000)
      if (connections.every(({ isBusy }) => !isBusy)) resolve()
    })
    clearTimeout(timer)
    await Promise.all(connections.map((connection) => connection.close()))
  }

  const handle = (organization: string): Client =>
    makeHandle(client, (made) => route(made, organization), {
      begin: (work: (tx: unknown) => unknown) => begin(organization, work),
      end: ({ timeout = MOST_ENDING_SECONDS } = {}) => (ending ??= end(timeout)),
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

const turn = <T>(wait: (waiter: Waiter<T>) => void): Promise<T> =>
  new Promise((use, refuse) => wait({ use, refuse }))
