import { REQUEST_LIMITS } from '../http/request-limits.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const MEBIBYTE = 1024 * 1024

/** Limits of what connections of mail submission bring, and of the time that they take. */
export const SMTP_LIMITS = {
  connections: 500,
  /** Open connections of one address, or of one /64 network of IPv6 addresses. */
  connectionsOfAddress: 50,
  /** Failed logins of one connection; those of an address have the API's limit. */
  failedLogins: 3,
  /** Bytes of one line that is a command. */
  commandBytes: 4 * 1024,
  /** Recipients of one message (RFC 5321, 4.5.3.1.8). */
  recipients: 100,
  /** Bytes of one message, as of a mail by HTTP. */
  messageBytes: REQUEST_LIMITS.mailBytes,
  /** Bytes of one message times its recipients: each gets a mail of its own, which is stored. */
  storedBytes: 40 * MEBIBYTE,
  heldBytes: 64 * MEBIBYTE,
  /** From the connection to the login, with the handshakes of TLS. */
  loginMs: MINUTE_MS,
  /** From one step of a mail to the next one, whatever is said between them. */
  stepMs: 5 * MINUTE_MS,
  messageMs: 10 * MINUTE_MS,
  /** Without a byte (RFC 5321, 4.5.3.2.7). */
  silenceMs: 5 * MINUTE_MS,
}
export type SmtpLimits = typeof SMTP_LIMITS
