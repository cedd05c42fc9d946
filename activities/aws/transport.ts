import { Pool } from 'undici'
import type { Purpose } from '../../src/domain/accounts/aws-actions.ts'
import type { IamRole } from '../../src/domain/accounts/iam-role.ts'
import type { Call, Outcome } from '../mailer.ts'
import type { Roles } from './roles.ts'
import { createSigner, type Credentials, type SignedService } from './signature.ts'
import { createSockets, type Sockets } from './sockets.ts'

/** Calls in flight per process and endpoint; more wait in their activity. */
const CONNECTIONS = 1_024
const CONNECT_MS = 2_000

export type Sessions = Pick<Roles, 'credentials' | 'forget'>

interface Answer {
  status: number
  /** The header `x-amzn-errortype`. */
  type: string | string[] | undefined
  body: string
}

export interface TransportOptions<Message> extends SignedService {
  roles: Sessions
  callMs: number
  /** Latest beginning of a call, counted from its claim. */
  beginMs: number
  /** Purpose of the credentials. */
  purpose: Purpose
  endpointOf: (region: string) => Promise<URL>
  bodyOf: (message: Message, call: Call) => string | Buffer
  read: (answer: Answer, message: Message) => Outcome
  onCall: (answer: CallAnswer, seconds: number) => void
}

type CallAnswer = ReturnType<typeof answerOf>

/**
 * Calls that send something, at most once each. The SDK supplies endpoint and credentials. The call
 * itself is ours, because it must be signed with the claim's time and must never be repeated by
 * anybody. The services have no idempotency token: a missing answer is `unknown`.
 */
export function createTransport<Message>({
  roles,
  callMs,
  beginMs,
  purpose,
  endpointOf,
  service,
  contentHeaders,
  bodyOf,
  read,
  onCall,
}: TransportOptions<Message>) {
  const pools = new Map<string, Pool>()
  const sockets = new Map<string, Sockets>()
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

  const call = async (message: Message, timing: Call) => {
    const { iamRole, lane = 'transactional' } = timing
    const credentials = await credentialsOf(iamRole)
    if ('kind' in credentials) return credentials
    const endpoint = await endpointOf(iamRole.region)
    const free = sockets.get(endpoint.origin) ?? createSockets(CONNECTIONS)
    sockets.set(endpoint.origin, free)
    // A call that waits in a queue behind others' has not begun, whatever the clock says.
    const { accountId: account } = iamRole
    await free.take({ lane, account })
    const startedAt = performance.now()
    try {
      const outcome = await callOnce(message, timing, endpoint, credentials)
      onCall(answerOf(outcome), (performance.now() - startedAt) / 1_000)
      return outcome
    } finally {
      free.free(account)
    }
  }

  const callOnce = async (
    message: Message,
    timing: Call,
    endpoint: URL,
    credentials: Credentials,
  ) => {
    const { iamRole, signedAt, beginBy } = timing
    const signer =
      signers.get(credentials) ??
      createSigner(credentials, iamRole.region, { service, contentHeaders })
    signers.set(credentials, signer)
    const body = bodyOf(message, timing)
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
      const answer = {
        status: response.statusCode,
        type: response.headers['x-amzn-errortype'],
        body: await response.body.text(),
      }
      const outcome = read(answer, message)
      if (outcome.kind === 'unreachable' && outcome.error.startsWith('credentials')) {
        roles.forget(iamRole, purpose)
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
      return await roles.credentials(iamRole, purpose)
    } catch (error) {
      const name = nameOf(error)
      return name === 'AccessDenied'
        ? { kind: 'unavailable', reason: 'role_refused', error: name }
        : { kind: 'unreachable', error: `sts ${name}`, own: true }
    }
  }

  return {
    call,
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

/** Errors of credentials or signature, which are checked before the request. */
const CREDENTIALS =
  /^(ExpiredToken|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature)/

export const isAboutCredentials = (errorName: string): boolean => CREDENTIALS.test(errorName)

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

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'Error')

const codeOf = (error: unknown): string => {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' ? code : nameOf(error)
}
