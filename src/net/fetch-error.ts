/**
 * Reasons for a missing answer:
 * - `request_refused`: the URL or a header may not be sent
 * - `address_refused`: the host is not on the public internet
 * - `redirect_refused`: too many redirects, or one from https to http
 * - `dns_failed`: the name has no address
 * - `dns_unanswered`: no name server answered
 * - `connect_failed`, `tls_failed`: nobody listens; the certificate is not the host's
 * - `connection_lost`, `bad_answer`: the connection ended, or the answer is not HTTP
 * - `timeout`: the exchange took too long
 */
export type FetchReason =
  | 'request_refused'
  | 'address_refused'
  | 'redirect_refused'
  | 'dns_failed'
  | 'dns_unanswered'
  | 'connect_failed'
  | 'tls_failed'
  | 'connection_lost'
  | 'bad_answer'
  | 'timeout'

const MESSAGES: Record<FetchReason, string> = {
  request_refused: 'The request is not allowed',
  address_refused: 'The host is not on the public internet',
  redirect_refused: 'The redirect is not allowed',
  dns_failed: 'The host has no address',
  dns_unanswered: 'The address of the host could not be looked up',
  connect_failed: 'The host could not be connected to',
  tls_failed: 'The TLS connection to the host failed',
  connection_lost: 'The connection ended before the answer',
  bad_answer: 'The answer is not HTTP, or its headers are too long',
  timeout: 'The answer did not come in time',
}

/** Reasons that prove nothing about the host: it may be up all the same. */
const INCONCLUSIVE: readonly FetchReason[] = ['dns_unanswered', 'timeout']

export const isInconclusive = ({ reason }: FetchError): boolean => INCONCLUSIVE.includes(reason)

/** The message may be shown to callers: it tells nothing about our network. */
export class FetchError extends Error {
  readonly reason: FetchReason

  constructor(reason: FetchReason, message: string = MESSAGES[reason]) {
    super(message)
    this.reason = reason
  }
}
