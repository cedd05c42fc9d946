import { Pool } from 'undici'
import type { Call, Mail, Mailer, Outcome } from '../mailer.ts'
import { PRODUCTION_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { countSesCall } from '../../src/runtime/metrics.ts'
import { createSendEndpoints } from './endpoint.ts'
import type { IamRole } from '../../src/domain/accounts/iam-role.ts'
import { bodyOf } from './mail-body.ts'
import type { Roles } from './roles.ts'
import { isOfSender } from './sender-refusals.ts'
import { createSigner, type Credentials } from './signature.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** Calls in flight per process and endpoint; more wait in their activity. */
const CONNECTIONS = 1_024
const CONNECT_MS = 2_000

export type Sessions = Pick<Roles, 'credentials' | 'forget'>

/**
 * The only transport: SES v2 SendEmail, one call for each recipient, at most once.
 *
 * The SDK supplies endpoint and credentials. The call itself is ours, because it must be signed
 * with the claim's time, must never be repeated by anybody, and because it costs an eighth of the
 * SDK's processor time. SES has no idempotency token: a missing answer is `unknown`.
 */
export function createMailer({
  roles,
  callMs,
  beginMs = PRODUCTION_TIMINGS.beginMs,
}: {
  roles: Sessions
  callMs: number
  /** Latest beginning of a call, counted from its claim. */
  beginMs?: number
}): Mailer {
  const pools = new Map<string, Pool>()
  const sockets = new Map<string, Sockets>()
  const sendEndpoint = createSendEndpoints()
  const signers = new WeakMap<Credentials, ReturnType<typeof createSigner>>()
  /**
   * Milliseconds by which AWS' clock is ahead of ours, by endpoint. Entries exist only after a
   * refused signature.
   */
  const clocks = new Map<string, { aheadMs: number; foundAt: number }>()

  const pool = (origin: string): Pool => {
    const poolOfOrigin =
      pools.get(origin) ??
      new Pool(origin, {
        connections: CONNECTIONS,
        pipelining: 1,
        connect: { timeout: CONNECT_MS },
        headersTimeout: callMs,
        bodyTimeout: callMs,
        keepAliveTimeout: 10_000,
      })
    pools.set(origin, poolOfOrigin)
    return poolOfOrigin
  }

  const send = async (mail: Mail, timing: Call) => {
    const { iamRole, lane = 'transactional' } = timing
    const credentials = await credentialsOf(iamRole)
    if ('kind' in credentials) return credentials
    const endpoint = await sendEndpoint(iamRole.region)
    const free = sockets.get(endpoint.origin) ?? createSockets(CONNECTIONS)
    sockets.set(endpoint.origin, free)
    // A call that waits in a queue behind others' has not begun, whatever the clock says.
    const { accountId: account } = iamRole
    await free.take({ lane, account })
    const startedAt = performance.now()
    try {
      const outcome = await call(mail, timing, endpoint, credentials)
      countSesCall(answerOf(outcome), (performance.now() - startedAt) / 1_000)
      return outcome
    } finally {
      free.free(account)
    }
  }

  const call = async (
    mail: Mail,
    { iamRole, signedAt, beginBy, configurationSet }: Call,
    endpoint: URL,
    credentials: Credentials,
  ) => {
    const signer = signers.get(credentials) ?? createSigner(credentials, iamRole.region)
    signers.set(credentials, signer)
    const body = bodyOf(mail, configurationSet)
    const path = endpoint.pathname
    const clock = clocks.get(endpoint.origin)
    // The claim may have been too old, instead of our clock being wrong: then it must stay refused.
    const isLater = clock !== undefined && beginBy - beginMs >= clock.foundAt
    const claimedAt = new Date(signedAt.getTime() + (isLater ? clock.aheadMs : 0))
    const headers = signer({ method: 'POST', host: endpoint.host, path, body }, claimedAt)
    const begunAt = performance.now()
    if (begunAt >= beginBy) return { kind: 'not_begun' } as const

    const deadline = new AbortController()
    // Aborting destroys the socket, so that a timed-out call cannot be accepted later through it.
    const timer = setTimeout(() => deadline.abort(), callMs)
    try {
      const response = await pool(endpoint.origin).request({
        method: 'POST',
        path,
        headers,
        body,
        signal: deadline.signal,
      })
      const answer = await response.body.text()
      const outcome = read(response.statusCode, response.headers['x-amzn-errortype'], answer, mail)
      if (outcome.kind === 'unreachable' && outcome.error.startsWith('credentials')) {
        roles.forget(iamRole, 'send')
        const foundAt = performance.now()
        const now = signedAt.getTime() + foundAt - begunAt
        const aheadMs = clockAhead(response.headers['date'], now)
        if (aheadMs === 0) clocks.delete(endpoint.origin)
        else clocks.set(endpoint.origin, { aheadMs, foundAt })
      }
      return outcome
    } catch (error) {
      return broken(error)
    } finally {
      clearTimeout(timer)
    }
  }

  const credentialsOf = async (iamRole: IamRole): Promise<Credentials | Outcome> => {
    try {
      return await roles.credentials(iamRole, 'send')
    } catch (error) {
      const name = nameOf(error)
      return name === 'AccessDenied'
        ? { kind: 'unavailable', reason: 'role_refused', error: name }
        : { kind: 'unreachable', error: `sts ${name}`, own: true }
    }
  }

  return {
    send,
    close: async () => {
      await Promise.all([...pools.values()].map((each) => each.close()))
    },
  }
}

/** The header has whole seconds, and the claim was up to a second before its call. */
const SAME_CLOCK_MS = 30_000

/**
 * Milliseconds by which the clock of an answer is ahead of `now`, or 0 for a small difference.
 * Later calls are signed with the time of their claim by that clock, as the SDK corrects its own:
 * so the five minutes after which AWS refuses a call begin with its claim, whatever our clocks say.
 */
function clockAhead(date: string | string[] | undefined, now: number): number {
  const ahead = typeof date === 'string' ? Date.parse(date) - now : Number.NaN
  return Math.abs(ahead) > SAME_CLOCK_MS ? ahead : 0
}

const THROTTLED = ['TooManyRequestsException', 'ThrottlingException', 'Throttling']
const REFUSED = [
  'MessageRejected',
  'BadRequestException',
  'NotFoundException',
  'ValidationException',
]
const UNAVAILABLE: Record<string, string> = {
  AccountSuspendedException: 'account_suspended',
  SendingPausedException: 'sending_paused',
  MailFromDomainNotVerifiedException: 'mail_from_not_verified',
  AccessDeniedException: 'access_denied',
  LimitExceededException: 'limit_exceeded',
}
/** Errors of credentials or signature, which are checked before the mail. */
const CREDENTIALS =
  /^(ExpiredToken|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature)/

/**
 * Every answer except a 5xx is certain. SES may have accepted a mail before it failed with a 5xx.
 */
export function read(
  status: number,
  type: string | string[] | undefined,
  body: string,
  mail: Pick<Mail, 'from' | 'to'>,
): Outcome {
  const answer = parse(body)
  if (status >= 200 && status < 300) {
    return answer.messageId
      ? { kind: 'sent', messageId: answer.messageId }
      : { kind: 'unknown', error: 'an answer without a message id' }
  }
  const header = Array.isArray(type) ? type[0] : type
  const name =
    (header ?? answer.type ?? '').replace(/^.*#/, '').split(':', 1)[0] || `status ${status}`
  const error = `${name}: ${answer.message}`
  const reason = UNAVAILABLE[name]
  if (THROTTLED.includes(name) || status === 429) {
    return { kind: 'throttled', scope: /daily/i.test(answer.message) ? 'quota' : 'rate' }
  }
  const ofSender = isOfSender(name, answer.message, mail) ? { ofSender: true as const } : {}
  if (reason !== undefined) return { kind: 'unavailable', reason, error, ...ofSender }
  if (CREDENTIALS.test(name))
    return { kind: 'unreachable', error: `credentials ${error}`, own: true }
  // Only SES' own 503 is certain. A proxy's says nothing about the request behind it.
  if (status === 503 && name.startsWith('ServiceUnavailable')) return { kind: 'unreachable', error }
  if (status >= 500 || status === 408 || name.startsWith('RequestTimeout')) {
    return { kind: 'unknown', error }
  }
  return {
    kind: 'refused',
    reason: REFUSED.includes(name) ? snake(name) : 'provider_refused',
    error,
    ...ofSender,
  }
}

const answerOf = (outcome: Outcome | { kind: 'not_begun' }) =>
  outcome.kind === 'throttled' ? (`throttled_${outcome.scope}` as const) : outcome.kind

/** Failures before the first byte of the request. All others leave the outcome open. */
const NOT_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

function broken(error: unknown): Outcome {
  const code = codeOf(error)
  return NOT_CONNECTED.includes(code)
    ? { kind: 'unreachable', error: code }
    : { kind: 'unknown', error: code }
}

function parse(body: string): { messageId?: string; message: string; type?: string } {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null) return { message: '' }
    const field = (name: string): string | undefined => {
      const property: unknown = Reflect.get(value, name)
      return typeof property === 'string' ? property : undefined
    }
    const messageId = field('MessageId')
    const type = field('__type')
    return {
      message: field('message') ?? field('Message') ?? '',
      ...(messageId === undefined ? {} : { messageId }),
      ...(type === undefined ? {} : { type }),
    }
  } catch {
    return { message: '' }
  }
}

/** `MessageRejected` → `message_rejected`. */
const snake = (name: string): string =>
  name
    .replace(/Exception$/, '')
    .replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase()

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'Error')

const codeOf = (error: unknown): string => {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' ? code : nameOf(error)
}
