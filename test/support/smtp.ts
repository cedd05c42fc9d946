import { once } from 'node:events'
import { connect as openSocket, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { connect as openTls } from 'node:tls'
import { SMTP_LIMITS, type SmtpLimits } from '../../api/smtp/limits.ts'
import { createSmtpMetrics, type SmtpMetrics } from '../../api/smtp/metrics.ts'
import { type Certificate, createSubmission, type Protection } from '../../api/smtp/server.ts'
import type { Api } from './api.ts'
import { testAuthority } from './certificates.ts'

export interface Submission {
  /** Listens in one more way; returns the port. */
  listen(protection: Protection): Promise<number>
  useCertificate: (certificate: Certificate) => void
  metrics: SmtpMetrics
  /** Bugs that were logged. */
  failures: object[]
  close(): Promise<void>
}

/** Mail submission beside the API of a test. */
export function openSubmission(api: Api, changes: Partial<SmtpLimits> = {}): Submission {
  const metrics = createSmtpMetrics()
  const failures: object[] = []
  const nothing = () => {}
  const submission = createSubmission({
    ...api.deps,
    metrics,
    log: { info: nothing, warn: nothing, error: (about) => void failures.push(about) },
    limits: { ...SMTP_LIMITS, ...changes },
  })
  return {
    metrics,
    failures,
    useCertificate: submission.useCertificate,
    close: () => submission.close(),
    listen: async (protection) => {
      const server = submission.open(protection).listen(0, '127.0.0.1')
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    },
  }
}

const PLAIN: Protection = { tls: 'none' }
export const plainPort = (submission: Submission): Promise<number> => submission.listen(PLAIN)

export interface Dialogue {
  /** Sends a line, and returns the reply with all its lines. */
  say(line: string): Promise<string>
  /** Sends bytes as they are, and returns the next reply. */
  send(bytes: string | Buffer): Promise<string>
  /** Sends bytes, without waiting. */
  write(bytes: string | Buffer): void
  /** The next reply; empty once the connection is closed. */
  reply(): Promise<string>
  startTls(): Promise<void>
  /** Whether the server has closed the connection. */
  isClosed(): boolean
  close(): void
}

/** A conversation in the words of SMTP, after the greeting. */
export async function openDialogue(port: number, isGreeted = true): Promise<Dialogue> {
  let socket: Socket = openSocket(port, '127.0.0.1')
  let text = ''
  let closed = false
  let wake: () => void = () => {}
  const listen = (): void => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      wake()
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      closed = true
      wake()
    })
  }
  listen()
  const reply = async (): Promise<string> => {
    for (;;) {
      const whole = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3}(?: [^\r\n]*)?\r\n/.exec(text)?.[0]
      if (whole !== undefined) {
        text = text.slice(whole.length)
        return whole.trimEnd()
      }
      if (closed) return ''
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const write = (bytes: string | Buffer): void => {
    if (socket.writable) socket.write(bytes)
  }
  if (isGreeted) await reply()
  return {
    reply,
    write,
    send: (bytes) => {
      write(bytes)
      return reply()
    },
    say: (line) => {
      write(`${line}\r\n`)
      return reply()
    },
    startTls: async () => {
      socket.removeAllListeners('data')
      const secure = openTls({ socket, ca: testAuthority, servername: 'receiver.example' })
      await once(secure, 'secureConnect')
      socket = secure
      listen()
    },
    isClosed: () => closed,
    close: () => void socket.destroy(),
  }
}

/** AUTH PLAIN with a key. */
export const plainLogin = (key: string, user = 'letterloom'): string =>
  `AUTH PLAIN ${Buffer.from(`\0${user}\0${key}`).toString('base64')}`

/** A dialogue that is logged in, and in which a mail from and to somebody is begun. */
export async function beginMail(
  port: number,
  key: string,
  to: readonly string[] = ['ada@example.com'],
): Promise<Dialogue> {
  const dialogue = await openDialogue(port)
  await dialogue.say('EHLO client.example')
  await dialogue.say(plainLogin(key))
  await dialogue.say('MAIL FROM:<shop@example.com>')
  for (const each of to) await dialogue.say(`RCPT TO:<${each}>`)
  return dialogue
}

/** A whole message in lines, as it goes after DATA. */
export const dataOf = (...lines: string[]): string => `${lines.join('\r\n')}\r\n.\r\n`
