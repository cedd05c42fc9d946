import { HOOK_PRIORITY, hookEventId } from '../../src/domain/hooks/hook-event.ts'
import { CALL_TIMEOUT_MS, retryAfterMs, retryWaitMs } from '../../src/domain/hooks/hook-retries.ts'
import { hookSecretPlace, open } from '../../src/keys/sealing.ts'
import type { Keyring } from '../../src/keys/tokens.ts'
import { signatureHeaders } from '../../src/keys/webhook-signatures.ts'
import type { Fetcher, Incoming } from '../../src/net/fetch.ts'
import { FetchError } from '../../src/net/fetch-error.ts'
import type { CallResult, ClaimedDelivery, DueEndpoint } from '../../src/store/hooks/hook-queue.ts'

/** Bytes of an answer that are read, and characters of a bad one that are kept. */
const MOST_BYTES = 16_384
const MOST_CHARACTERS = 500
const GONE = 410
/** Statuses whose `Retry-After` counts (RFC 9110, 10.2.3; RFC 6585, 4). */
const ASKING_TO_WAIT = [429, 502, 503, 504]

interface CallDeps {
  fetcher: Fetcher
  now: () => number
}

/** Opens the secrets with which an endpoint's calls are signed. Undefined: their key is gone. */
export function openSecrets(keyring: Keyring, endpoint: DueEndpoint): string[] | undefined {
  const place = hookSecretPlace(endpoint.organizationId, endpoint.id)
  const secret = open(keyring, 'hook-secret', place, endpoint.secret)
  if (secret === undefined) return undefined
  const previous =
    endpoint.previousSecret && open(keyring, 'hook-secret', place, endpoint.previousSecret)
  return previous ? [secret, previous] : [secret]
}

interface Call {
  delivery: ClaimedDelivery
  url: string
  body: string
  secrets: readonly string[]
  signal: AbortSignal
}

/**
 * Calls a receiver once, signed as Standard Webhooks specifies: the id is that of the event, the
 * time that of this call. Throws the signal's reason if `signal` ended it.
 */
export async function callHook({ fetcher, now }: CallDeps, call: Call): Promise<CallResult> {
  const { delivery, url, body, secrets, signal } = call
  const calledAt = now()
  const startedAt = performance.now()
  const timestamp = Math.floor(calledAt / 1_000)
  const message = { id: hookEventId(delivery.eventId), timestamp, body }
  const endedCall = (answer: CallAnswer) =>
    resultOf(delivery, answer, { calledAt, ms: Math.round(performance.now() - startedAt) })
  try {
    const answer = await fetcher.send({
      url,
      method: 'POST',
      headers: {
        'user-agent': 'Letterloom-Webhooks',
        'content-type': 'application/json',
        ...signatureHeaders(secrets, message),
      },
      body,
      timeoutMs: CALL_TIMEOUT_MS,
      mostBytes: MOST_BYTES,
      keptBy: delivery.endpointId,
      signal,
    })
    return endedCall(answerOf(answer, calledAt))
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return endedCall({ status: null, error: error.message, answer: null, askedMs: 0 })
  }
}

interface CallAnswer {
  status: number | null
  /** Null: the call succeeded. */
  error: string | null
  answer: string | null
  askedMs: number
}

function answerOf({ status, headers, body }: Incoming, nowMs: number): CallAnswer {
  if (status >= 200 && status < 300) return { status, error: null, answer: null, askedMs: 0 }
  const isRedirect = status >= 300 && status < 400
  return {
    status,
    error: `The receiver answered ${status}${isRedirect ? '; redirects are not followed' : ''}`,
    answer: shortened(body.toString('utf8')),
    askedMs: ASKING_TO_WAIT.includes(status) ? retryAfterMs(headers.get('retry-after'), nowMs) : 0,
  }
}

const shortened = (text: string): string =>
  text
    .slice(0, MOST_CHARACTERS)
    .replaceAll('\0', '\ufffd')
    .replace(/[\ud800-\udbff]$/, '')

function resultOf(
  delivery: ClaimedDelivery,
  { status, error, answer, askedMs }: CallAnswer,
  { calledAt, ms }: { calledAt: number; ms: number },
): CallResult {
  const { organizationId, id, endpointId, priority, attempts } = delivery
  const isTest = priority === HOOK_PRIORITY.test
  const waitMs = isTest ? undefined : retryWaitMs(attempts + 1, Math.random())
  // An endpoint that is gone is disabled, and what waits for it is held.
  const isGone = status === GONE && !isTest
  const failedState = waitMs === undefined ? 'failed' : 'pending'
  return {
    organizationId,
    id,
    endpointId,
    state: error === null ? 'delivered' : failedState,
    waitMs: waitMs ?? 0,
    isCall: true,
    isTest,
    isGone,
    retryAfterMs: askedMs,
    attempt: { at: new Date(calledAt).toISOString(), status, ms, error },
    answer,
  }
}

/** Result of a delivery whose secret cannot be opened: it waits like one whose call failed. */
export const unsigned = (delivery: ClaimedDelivery, nowMs: number): CallResult =>
  resultOf(
    delivery,
    {
      status: null,
      error: 'The secret of the endpoint cannot be decrypted with the present keys',
      answer: null,
      askedMs: 0,
    },
    { calledAt: nowMs, ms: 0 },
  )

/** Result of a delivery that is not called any more, and why. */
export const cancelled = (
  { organizationId, id, endpointId }: ClaimedDelivery,
  error: string,
  nowMs: number,
): CallResult => ({
  organizationId,
  id,
  endpointId,
  state: 'cancelled',
  waitMs: 0,
  isCall: false,
  isTest: false,
  isGone: false,
  retryAfterMs: 0,
  attempt: { at: new Date(nowMs).toISOString(), status: null, ms: 0, error },
  answer: null,
})
