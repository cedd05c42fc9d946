import postgres from 'postgres'

export type Client = ReturnType<typeof postgres>

/** A client of one connection; `destroy` closes its socket whatever the server does. */
export interface Connection {
  client: Client
  destroy: () => void
}

/** What of the driver's query object is reached for; `test/db/pool.test.ts` holds it. */
export interface Query {
  handler: (query: Query) => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/**
 * A place for one connection, which has one statement at a time. A client that lost its connection
 * is replaced and never used again: the driver's keeps half-written bytes and queries for its next
 * connection, and writing to one that is closed ends the process.
 */
export interface PooledConnection extends Connection {
  handOver: Query['handler']
  isOpen: boolean
  isBusy: boolean
  query: Query | undefined
  /** When that query was handed over, on `performance.now()`'s scale. */
  startedAt: number
  /** The organization the session's policies let through; undefined: nobody knows. */
  organization: string | undefined
  /** Takes another client; what the present one still had to do is refused. */
  replace: () => void
  /** For good. What is still to do is refused; resolves soon, whatever the server does. */
  close: () => Promise<void>
}

const MOST_CONNECTING_MS = 10_000
/** How long a server may take to close an idle connection. */
const MOST_CLOSING_SECONDS = 1

export function openConnection(open: (onclose: () => void) => Connection): PooledConnection {
  const connection: PooledConnection = {
    ...newClient(),
    isOpen: false,
    isBusy: false,
    query: undefined,
    startedAt: 0,
    organization: undefined,
    replace: () => {
      const { client, destroy, query } = connection
      Object.assign(connection, newClient(), { isOpen: false, organization: undefined })
      query?.reject(connectionLost())
      void endClient({ client, destroy }, 0)
    },
    close: async () => {
      const { client, destroy, query } = connection
      connection.isOpen = false
      query?.reject(connectionLost('CONNECTION_ENDED'))
      await endClient({ client, destroy }, connection.isBusy ? 0 : MOST_CLOSING_SECONDS)
    },
  }
  return connection

  function newClient(): Pick<PooledConnection, 'client' | 'destroy' | 'handOver'> {
    const { client, destroy } = open(() => {
      if (connection.client === client) connection.replace()
    })
    const { handler } = client.unsafe('') as unknown as Query
    return { client, destroy, handOver: handler }
  }
}

/** Without a timeout the driver would wait for ever once a connection is lost under a statement. */
const endClient = ({ client, destroy }: Connection, timeout: number): Promise<void> =>
  client
    .end({ timeout })
    .catch(() => {})
    .finally(destroy)

/**
 * Opens the client's connection, told the organization, and waits for it. What the driver is given
 * before, it would keep and run on a later connection, after its caller was told that it failed.
 */
export async function connect(connection: PooledConnection, organization: string): Promise<void> {
  const { client } = connection
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, MOST_CONNECTING_MS, connectionLost('CONNECT_TIMEOUT'))
  })
  try {
    await Promise.race([client.unsafe(setting('session', organization)), late])
  } catch (error) {
    if (connection.client === client) connection.replace()
    throw error
  } finally {
    clearTimeout(timer)
  }
  if (connection.client !== client) throw connectionLost()
  connection.isOpen = true
  connection.organization = organization
}

/**
 * Tells an open session on whose behalf it works, and waits for its answer: in one packet with the
 * query that needs it, the query would run also when this was refused.
 */
export async function tell(connection: PooledConnection, organization: string): Promise<void> {
  connection.organization = undefined
  const telling = connection.client.unsafe(setting('session', organization))
  const query = telling as unknown as Query
  query.handler = () => run(connection, query, () => {})
  await telling
  connection.organization = organization
}

/** Runs `query` on the connection's open connection and calls `free` when it is settled. */
export function run(connection: PooledConnection, query: Query, free: () => void): void {
  const { client } = connection
  const { resolve, reject } = query
  let isSettled = false
  const settle = (): boolean => {
    if (isSettled) return false
    isSettled = true
    connection.query = undefined
    return true
  }
  query.resolve = (value) => {
    if (settle()) free()
    resolve(value)
  }
  query.reject = (error) => {
    if (settle()) {
      // Only after a refusal of the server's the connection is what it was.
      if (!isServerRefusal(error) && connection.client === client) connection.replace()
      free()
    }
    reject(error)
  }
  if (!connection.isOpen) return query.reject(connectionLost())
  connection.query = query
  connection.startedAt = performance.now()
  query.handler = connection.handOver
  connection.handOver(query)
}

/** The statement that says on whose behalf a session or a transaction works. */
export function setting(scope: 'local' | 'session', organization: string): string {
  if (!/^[\da-f-]*$/i.test(organization)) throw new TypeError('an organization is named by a UUID')
  return `set ${scope} letterloom.organization = '${organization}'`
}

export const connectionLost = (code = 'CONNECTION_CLOSED'): Error =>
  Object.assign(new Error('the connection to Postgres was lost'), { code })

const isServerRefusal = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.severity === 'ERROR'
