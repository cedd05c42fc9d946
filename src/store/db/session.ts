import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import type { Answer, Query } from './statement.ts'

export type Options = postgres.Options<Record<string, postgres.PostgresType>>

export interface Session {
  /** Organization whose rows the policies allow. Undefined: unknown. */
  organization: string | undefined
  isLost: boolean
  ask: (query: Query) => Promise<Answer>
  /** Gives the connection up if its statement should have been answered long ago. */
  look: () => void
  /**
   * Closes permanently and refuses the running statement. Resolves soon, whatever the server does.
   */
  close: () => Promise<void>
}

interface Address {
  host: string[]
  port: number[]
  path: string | false
}

interface Rules {
  settings: Readonly<Record<string, string | number>>
  /**
   * Time limit of a statement after which the server is considered lost. Longer than the server's
   * own limit.
   */
  mostMs: number
}

const MOST_CONNECTING_MS = 10_000
const MOST_CLOSING_SECONDS = 1

/**
 * A client of the driver with one connection, which its first statement opens. After any failure
 * but a refusal of the server it is thrown away and `onLost` is called: the driver's client would
 * keep half-written bytes and statements for its next connection.
 */
export function openSession(
  url: string,
  options: Options,
  { settings, mostMs }: Rules,
  onLost: (session: Session) => void,
): Session {
  let socket: Socket | undefined
  let dials = 0
  let isOpen = false
  let refuse: ((error: unknown) => void) | undefined
  let dueAt = Number.POSITIVE_INFINITY
  const session: Session = { organization: undefined, isLost: false, ask, look, close }
  // The driver documents `socket`, but its types do not have it.
  const own: object = { socket: dial, max: 1, max_lifetime: null, onclose: lose }
  const client = postgres(url, { ...options, ...own })
  return session

  async function ask({ text, values, isPrepared }: Query): Promise<Answer> {
    if (session.isLost) throw connectionLost()
    dueAt = performance.now() + (isOpen ? mostMs : MOST_CONNECTING_MS)
    try {
      return await new Promise<Answer>((resolve, reject) => {
        refuse = reject
        const send = () => client.unsafe(text, values as never[], { prepare: isPrepared })
        const sent = isOpen ? send() : open().then(send)
        sent.then(resolve, reject)
      })
    } catch (error) {
      // The stack of the caller, not of the socket that brought the answer.
      if (error instanceof Error) Error.captureStackTrace(error, ask)
      // The connection is intact only after a refusal of the server.
      if (!(error instanceof postgres.PostgresError && error.severity === 'ERROR')) lose()
      throw error
    } finally {
      refuse = undefined
      dueAt = Number.POSITIVE_INFINITY
    }
  }

  async function open(): Promise<void> {
    await client.unsafe(statementOf(settings))
    isOpen = true
  }

  function look(): void {
    if (performance.now() > dueAt) lose()
  }

  function lose(): void {
    if (!session.isLost) void end('CONNECTION_CLOSED', 0)
  }

  function close(): Promise<void> {
    return end('CONNECTION_ENDED', refuse ? 0 : MOST_CLOSING_SECONDS)
  }

  async function end(code: string, timeout: number): Promise<void> {
    session.isLost = true
    refuse?.(connectionLost(code))
    onLost(session)
    // Without a timeout the driver waits for ever once a connection is lost under a statement.
    await client.end({ timeout }).catch(() => {})
    // The driver only closes its half, so a frozen server would keep the socket and this process.
    socket?.destroy()
  }

  function dial({ host, port, path }: Address): Socket {
    const i = dials++
    if (session.isLost || i === host.length) {
      lose()
      throw connectionLost()
    }
    socket = connect(path ? { path } : { host: host[i] ?? '', port: port[i] ?? 0 })
    // The driver reads the expected name of the certificate from here.
    return Object.assign(socket, path ? {} : { host: host[i] })
  }
}

/**
 * Settings are sent as a statement, not in the first packet: a pooler refuses or ignores unknown
 * ones there, among them the role that row-level security depends on. All settings apply, or none.
 */
const statementOf = (settings: Rules['settings']): string =>
  `select ${Object.entries(settings)
    .map(
      ([name, value]) => `
      case when current_setting('${name}', true) is not null
        then set_config('${name}', '${value}', false) end`,
    )
    .join()}`

export function setting(scope: 'local' | 'session', organization: string): string {
  if (!/^[\da-f-]*$/i.test(organization)) throw new TypeError('an organization is named by a UUID')
  return `set ${scope} letterloom.organization = '${organization}'`
}

export const connectionLost = (code = 'CONNECTION_CLOSED'): Error =>
  Object.assign(new Error('the connection to Postgres was lost'), { code })
