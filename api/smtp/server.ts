import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server'
import { AppError } from '../../src/domain/errors.ts'
import { normalAddress, readAddress } from '../../src/domain/text.ts'
import { createMessageReader } from '../../src/mail/message-reader.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { refusalOf } from '../http/errors.ts'
import { networkOf } from '../http/network.ts'
import type { Limiter } from '../limits/limiter.ts'
import { type SmtpLimits, SMTP_LIMITS } from './limits.ts'
import { createLogins, type Login } from './login.ts'
import { createMessageRoom } from './message-room.ts'
import type { SmtpMetrics } from './metrics.ts'
import { createPatience } from './patience.ts'
import { Reply, replyOf } from './replies.ts'
import { submit, type SubmitDeps } from './submit.ts'

interface SmtpDeps extends Omit<SubmitDeps, 'limits' | 'readMessage'> {
  sql: Sql
  limiter: Limiter
  metrics: SmtpMetrics
  log: Record<'info' | 'warn' | 'error', (about: object, message: string) => void>
  limits?: SmtpLimits
}

export interface Certificate {
  key: string
  cert: string
}

export type Protection =
  | { tls: 'implicit' | 'starttls'; certificate: Certificate }
  | { tls: 'none' }

interface Session {
  network: string
  failedLogins: number
  isBusy: boolean
}

type Done = (error?: Error | null) => void

const BUSY = new Reply(451, 'Too many messages at the moment. Try again')
const FAILED = new Reply(451, 'Something went wrong on our side. Try again')
const BROKEN_OFF = new Reply(421, 'The connection was closed within a message')
const NO_LOGIN = new Reply(530, 'Log in first')
const NO_TLS = new Reply(530, 'Must issue a STARTTLS command first')

/**
 * Mail submission (RFC 6409). A caller's message becomes a single mail to each recipient, and is
 * answered with 250 only when they are stored. Nothing is relayed, and nothing is accepted without
 * a key.
 */
export function createSubmission(deps: SmtpDeps) {
  const { metrics, log, limits = SMTP_LIMITS } = deps
  const servers: SMTPServer[] = []
  const patience = createPatience(() => servers)
  const logins = createLogins(deps)
  const room = createMessageRoom(limits.heldBytes)
  const readMessage = createMessageReader()
  const sessions = new Map<string, Session>()
  let isClosing = false

  function open(protection: Protection): SMTPServer {
    const server = new SMTPServer({
      ...optionsOf(protection, limits),
      onConnect,
      onSecure,
      onAuth: (auth, session, callback) => {
        const { username = '', password } = auth
        logIn({ username, password: password ?? '' }, session).then(
          (user) => callback(null, { user }),
          (error: unknown) => callback(asReply(error)),
        )
      },
      onMailFrom: (_address, session, done) => settle(takeMail(session), done),
      onRcptTo: (address, session, done) => settle(takeRecipient(address, session), done),
      onData: (stream, session, callback) => {
        takeMessage(stream, session).then(
          (answer) => callback(null, answer),
          (error: unknown) => callback(asReply(error)),
        )
      },
      onClose: (session) => {
        if (sessions.delete(session.id)) metrics.connections.dec()
        patience.forget(session.id)
      },
    })
    // Of a connection that broke off; its mails are stored or not, and its client knows which.
    server.on('error', () => {})
    servers.push(server)
    return server

    function onConnect(session: SMTPServerSession, done: Done): void {
      const network = networkOf(session.remoteAddress)
      const sameNetwork = [...sessions.values()].filter((each) => each.network === network)
      if (sameNetwork.length >= limits.connectionsOfAddress) {
        metrics.connectionsRefused.inc()
        done(new Reply(421, 'Too many connections from your address'))
        return
      }
      sessions.set(session.id, { network, failedLogins: 0, isBusy: false })
      metrics.connections.inc()
      patience.begin(session.id, limits.loginMs)
      refuseChunks(server, session)
      // Nobody is asked for a key in plain text.
      if (protection.tls !== 'none' && !session.secure)
        session.disabledCommands = ['AUTH', 'XCLIENT', 'XFORWARD']
      done()
    }
  }

  function onSecure(_socket: unknown, session: SMTPServerSession, done: Done): void {
    delete session.disabledCommands
    done()
  }

  async function logIn(
    credentials: { username: string; password: string },
    session: SMTPServerSession,
  ): Promise<Login> {
    try {
      const login = await logins.logIn({ ...credentials, address: session.remoteAddress })
      patience.give(session.id, limits.stepMs)
      return login
    } catch (error) {
      const reply = asReply(error)
      const knownSession = sessions.get(session.id)
      if (knownSession) knownSession.failedLogins++
      metrics.failedLogins.inc()
      if (knownSession && knownSession.failedLogins < limits.failedLogins) throw reply
      throw new Reply(421, reply.message)
    }
  }

  const loginOf = ({ user, secure, disabledCommands }: SMTPServerSession): Login => {
    const login: Login | undefined = user
    if (login) return login
    throw !secure && disabledCommands ? NO_TLS : NO_LOGIN
  }

  async function takeMail(session: SMTPServerSession): Promise<void> {
    await logins.takeMessage(loginOf(session))
    patience.give(session.id, limits.stepMs)
  }

  async function takeRecipient(
    { address }: SMTPServerAddress,
    session: SMTPServerSession,
  ): Promise<void> {
    loginOf(session)
    if (readAddress(address) === undefined) throw new Reply(553, 'This is not an email address')
    patience.give(session.id, limits.stepMs)
  }

  async function takeMessage(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
  ): Promise<string> {
    const startedAt = performance.now()
    patience.give(session.id, limits.messageMs)
    const knownSession = sessions.get(session.id)
    if (knownSession) knownSession.isBusy = true
    let release = (): void => {}
    try {
      const message = await room.read(stream).catch(() => {
        throw BROKEN_OFF
      })
      const { bytes } = message
      release = message.release
      patience.suspend(session.id)
      if (stream.sizeExceeded) throw replyOf(tooLarge(limits.messageBytes))
      if (!bytes) throw BUSY
      const { caller, keyId } = await logins.submitterOf(loginOf(session))
      const recipients = [
        ...new Set(session.envelope.rcptTo.map(({ address }) => normalAddress(address))),
      ]
      const mails = await submit(
        { caller, keyId, recipients, bytes },
        { ...deps, readMessage, limits },
      )
      metrics.messages.inc({ outcome: 'accepted' })
      const ms = Math.round(performance.now() - startedAt)
      log.info({ session: session.id, mails: mails.length, bytes: bytes.length, ms }, 'accepted')
      return acceptedAs(mails.map(({ id }) => id))
    } catch (error) {
      const reply = asReply(error)
      const outcome = reply.responseCode < 500 ? 'deferred' : 'refused'
      metrics.messages.inc({ outcome })
      log.info({ session: session.id, reply: reply.responseCode }, outcome)
      throw reply
    } finally {
      release()
      if (knownSession) knownSession.isBusy = false
      patience.give(session.id, isClosing ? LAST_WORD_MS : limits.stepMs)
    }
  }

  /**
   * Returns the reply for a thrown error. An unexpected one is logged, and the sender tries again.
   */
  function asReply(error: unknown): Reply {
    if (error instanceof Reply) return error
    const refusal = refusalOf(error)
    if (refusal) return replyOf(refusal)
    log.error({ err: error }, 'failed')
    return FAILED
  }

  function settle(work: Promise<void>, done: Done): void {
    work.then(
      () => done(),
      (error: unknown) => done(asReply(error)),
    )
  }

  return {
    open,
    useCertificate: (certificate: Certificate): void => {
      for (const server of servers) server.updateSecureContext({ ...certificate })
    },
    /** Accepts no more connections, answers messages under way, and closes the others. */
    async close(): Promise<void> {
      isClosing = true
      const closed = servers.map(
        (server) => new Promise<void>((resolve) => server.close(() => resolve())),
      )
      for (const connection of servers.flatMap((server) => [...server.connections])) {
        if (sessions.get(connection.id)?.isBusy) continue
        connection.send(421, 'The server is shutting down')
        connection.close()
      }
      await Promise.all(closed)
      patience.stop()
    },
  }
}

const optionsOf = (protection: Protection, limits: SmtpLimits): SMTPServerOptions => ({
  banner: 'Letterloom',
  size: limits.messageBytes,
  rejectOversized: true,
  maxClients: limits.connections,
  maxRecipients: limits.recipients,
  maxCommandLength: limits.commandBytes,
  socketTimeout: limits.silenceMs,
  closeTimeout: LAST_ANSWER_MS,
  authMethods: ['PLAIN', 'LOGIN'],
  hideENHANCEDSTATUSCODES: false,
  // Local parts are in US-ASCII: SES takes no others.
  hideSMTPUTF8: true,
  disableReverseLookup: true,
  logger: false,
  // Only a proxy of our own could be believed.
  disabledCommands: ['XCLIENT', 'XFORWARD', ...(protection.tls === 'none' ? ['STARTTLS'] : [])],
  ...(protection.tls === 'none'
    ? { allowInsecureAuth: true }
    : { ...protection.certificate, secure: protection.tls === 'implicit', minVersion: 'TLSv1.2' }),
})

/** Time from the closing of the port to the end of a message under way. */
const LAST_ANSWER_MS = 20_000
const LAST_WORD_MS = 1_000

/** BDAT (RFC 3030) is not offered. Its bytes would be read as commands, so the connection ends. */
function refuseChunks(server: SMTPServer, { id }: SMTPServerSession): void {
  const connection = [...server.connections].find((each) => each.id === id)
  if (!connection) return
  Object.assign(connection, {
    handler_BDAT: () => {
      connection.send(502, 'BDAT is not offered: send DATA')
      connection.close()
    },
  })
}

const tooLarge = (most: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The message is larger than ${most} bytes`)

const MOST_NAMED = 8

const acceptedAs = (ids: readonly string[]): string => {
  const shownIds = ids.slice(0, MOST_NAMED).join(' ')
  const otherCount = ids.length - MOST_NAMED
  return `Accepted as ${shownIds}${otherCount > 0 ? ` and ${otherCount} more` : ''}`
}
