import postgres from 'postgres'

type Client = ReturnType<typeof postgres>

/** What of the driver's query object this file reaches for; `test/store/pool.test.ts` holds it. */
interface Query {
  handler: (query: Query) => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  executed: boolean
  /** Null until it was handed to a connection. */
  state: object | null
}

/** One connection, with what it was last told. It has one query or transaction at a time. */
interface Lane {
  client: Client
  handOver: Query['handler']
  isBusy: boolean
  query: Query | undefined
  /** Called once when the connection is closed. */
  onClosed: (() => void) | undefined
  /** The organization the session's policies let through; undefined: it was told nothing. */
  organization: string | undefined
}

interface Pool {
  /** The driver's interface over all connections, on behalf of no organization. */
  sql: Client
  /** The same connections on behalf of one organization. */
  within: (organizationId: string) => Client
}

/** No policy reads it as an id: what runs on behalf of nobody is refused every tenant's row. */
const NOBODY = ''
const UNDEFINED_OBJECT = '42704'
/** Not every failure closes the connection. */
const MOST_CLOSING_MS = 100
/** Handles are made again when needed: they hold nothing. */
const MOST_HANDLES = 10_000

/**
 * A pool of dedicated connections, `max` clients of one connection each.
 *
 * The driver's own pool gets slower with every query it serves (its queue keeps dead slots), puts
 * quick queries behind slow ones, and cannot tell which connection a query will run on. Row-level
 * security has to know that: the organization is a setting of the session, sent ahead of the first
 * query that needs another one than the query before it.
 */
export function createPool(open: (onclose: () => void) => Client, max: number): Pool {
  const lanes = Array.from({ length: max }, () => openLane(open))
  const [first] = lanes
  if (!first) throw new RangeError('a pool has at least one connection')
  const waiting = createQueue<(lane: Lane) => void>()
  // One connection is kept from transactions, so that a query beside them always finds its way.
  const mostTransactions = Math.max(1, max - 1)
  const waitingToBegin = createQueue<() => void>()
  const handles = new Map<string, Client>()
  let transactions = 0
  let isShared = false

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
    query.handler = () => withLane(organization, (lane) => run(lane, query, organization, release))
    return made
  }

  async function begin(organization: string, work: (tx: unknown) => unknown): Promise<unknown> {
    if (transactions < mostTransactions) transactions++
    else await new Promise<void>((resolve) => waitingToBegin.push(resolve))
    const lane = await new Promise<Lane>((resolve) => withLane(organization, resolve))
    try {
      return await lane.client.begin((tx) => {
        if (isShared) void tx`select set_config(${SETTING}, ${organization}, true)`.execute()
        return work(tx)
      })
    } finally {
      const next = waitingToBegin.shift()
      if (next) next()
      else transactions--
      release(lane)
    }
  }

  function handle(organization: string): Client {
    const { client } = first as Lane
    const make = client as unknown as (...given: unknown[]) => unknown
    const sql = (given: unknown, ...values: unknown[]): unknown =>
      isTemplate(given) ? route(make(given, ...values), organization) : make(given, ...values)
    return Object.assign(sql, {
      json: (value: postgres.JSONValue) => client.json(value),
      unsafe: (...given: Parameters<Client['unsafe']>) =>
        route(client.unsafe(...given), organization),
      begin: (work: (tx: unknown) => unknown) => begin(organization, work),
      end: (options?: { timeout?: number }) =>
        Promise.all(lanes.map((lane) => lane.client.end(options))),
    }) as unknown as Client
  }

  return {
    sql: handle(NOBODY),
    within: (organizationId) => {
      isShared = true
      const known = handles.get(organizationId)
      if (known) return known
      if (handles.size >= MOST_HANDLES) handles.clear()
      const made = handle(organizationId)
      handles.set(organizationId, made)
      return made
    },
  }
}

const SETTING = 'letterloom.organization'

function openLane(open: (onclose: () => void) => Client): Lane {
  const client = open(() => {
    lane.organization = undefined
    // The driver forgets a query that it wrote between a socket's error and its close.
    if (lane.query?.state) lane.query.reject(connectionLost('the connection was closed'))
    lane.onClosed?.()
    lane.onClosed = undefined
  })
  const { handler } = client.unsafe('') as unknown as Query
  const lane: Lane = {
    client,
    handOver: handler,
    isBusy: false,
    query: undefined,
    onClosed: undefined,
    organization: undefined,
  }
  return lane
}

function run(lane: Lane, query: Query, organization: string, release: (lane: Lane) => void): void {
  const { resolve, reject } = query
  let isSettled = false
  const settle = (free: () => void): void => {
    if (isSettled) return
    isSettled = true
    lane.query = undefined
    free()
  }
  lane.query = query
  query.resolve = (value) => {
    settle(() => release(lane))
    resolve(value)
  }
  query.reject = (error) => {
    settle(() => afterFailure(lane, error, release))
    reject(organization !== NOBODY && wasNotTold(error) ? connectionLost(error) : error)
  }
  query.handler = lane.handOver
  if ((lane.organization ?? NOBODY) !== organization) tell(lane, organization, query)
  lane.handOver(query)
}

/** A connection that failed takes no query before it is closed: what it took would be lost. */
function afterFailure(lane: Lane, error: unknown, release: (lane: Lane) => void): void {
  if (error instanceof postgres.PostgresError && error.severity === 'ERROR') {
    setImmediate(release, lane)
    return
  }
  const timer = setTimeout(free, MOST_CLOSING_MS)
  lane.onClosed = free
  function free(): void {
    clearTimeout(timer)
    lane.onClosed = undefined
    setImmediate(release, lane)
  }
}

/** Goes ahead of `query`, which must fail where the setting did not arrive. */
function tell(lane: Lane, organization: string, query: Query): void {
  lane.organization = organization
  const told = lane.client`select set_config(${SETTING}, ${organization}, false)`
  const raw = told as unknown as Query
  // Awaiting it would hand it over a moment later, behind the query.
  raw.executed = true
  told.catch((error: unknown) => {
    lane.organization = undefined
    query.reject(error)
  })
  lane.handOver(raw)
}

const isTemplate = (given: unknown): boolean => Array.isArray(given) && 'raw' in given

/** The connection was lost between the setting and the query, which a policy then refused. */
const wasNotTold = (error: unknown): boolean =>
  error instanceof postgres.PostgresError &&
  error.code === UNDEFINED_OBJECT &&
  error.message.includes(SETTING)

const connectionLost = (cause: unknown): Error =>
  Object.assign(new Error('the connection was lost', { cause }), { code: 'CONNECTION_CLOSED' })

interface Link<T> {
  value: T
  next: Link<T> | undefined
}

/** First in, first out, at the same price however much went through it. */
function createQueue<T>() {
  let head: Link<T> | undefined
  let tail: Link<T> | undefined
  return {
    push(value: T): void {
      const link = { value, next: undefined }
      if (tail) tail.next = link
      else head = link
      tail = link
    },
    shift(): T | undefined {
      const link = head
      head = link?.next
      if (!head) tail = undefined
      return link?.value
    },
  }
}
