import { ApplicationFailure } from '@temporalio/activity'
import { webhookCallId } from '../../../src/runtime/ids.ts'
import { countWebhookCall } from '../../../src/runtime/metrics.ts'
import { RenderError } from '../../../src/mail/render.ts'
import { processRenderer, type Renderer } from '../../../src/mail/renderer.ts'
import type { Fetcher, Incoming } from '../../../src/net/fetch.ts'
import { FetchError } from '../../../src/net/fetch-error.ts'
import { targetOf } from '../../../src/net/target.ts'
import * as contacts from '../../../src/store/contacts/contacts.ts'
import type { Json, Sql } from '../../../src/store/db/sql.ts'
import * as webhookCalls from '../../../src/store/flows/webhook-calls.ts'
import * as flowSecrets from '../../../src/store/flows/secrets.ts'
import type { Keyring } from '../../../src/keys/tokens.ts'
import { untilRendered } from '../../content/rendering.ts'
import type { StepOutcome } from '../../../src/core/flows/moves.ts'
import { eventKnownTo } from './facts.ts'
import type { CallingStep, StepRun } from './step.ts'
import {
  isPassingReason,
  isPassingStatus,
  isSuccess,
  MOST_BYTES,
  resultOf,
  retryAfter,
} from './webhook-answer.ts'
import { bodyOf, BodyTooLong, requestOf, SecretUnreadable, unseal } from './webhook-request.ts'

export interface WebhookDeps {
  sql: Sql
  keyring: Keyring
  fetcher: Fetcher
  now: () => number
  renderer?: Renderer
  /** Waits between tries, one fewer than tries. */
  waitsMs?: readonly number[]
}

const DEFAULT_TIMEOUT_S = 10
/** Eight tries within ten minutes, with pauses that outlast a restart of the receiver. */
const WAITS_MS = [2_000, 5_000, 15_000, 40_000, 90_000, 180_000, 270_000]
const LEASE_SPARE_MS = 10_000
/** First and longest wait for a slot, when an organization has too many calls in flight. */
const SLOT_WAIT_MS = 1_000
const MOST_SLOT_WAIT_MS = 2 * 60_000

interface Failure {
  reason: string
  error: string
  result?: Json
}

/**
 * Calls the customer's receiver, signed as Standard Webhooks specifies. Any 2xx is the branch
 * `success`; a failure that may pass (no connection, no answer, 408, 425, 429, 5xx) is tried again,
 * once for each wait; after that, and for every other failure, the branch is `failure` where the
 * flow has one, else the execution fails here. A redirect is not followed, so that no other host
 * gets our headers.
 *
 * At least once: when a worker is lost between call and answer, another one calls again with the
 * same `webhook-id`. Tries are counted in Postgres, since only those count for which a call was
 * begun: not those that found no free slot, or no time of the renderer.
 */
export function createWebhook(deps: WebhookDeps): CallingStep<'webhook'> {
  const { waitsMs = WAITS_MS, renderer = processRenderer() } = deps
  const caller = { ...deps, waitsMs, renderer }
  return { where: 'webhook', call: (run, attempt) => call(caller, run, attempt) }
}

type Caller = Required<WebhookDeps>

async function call(
  caller: Caller,
  run: StepRun<'webhook'>,
  { number, signal }: { number: number; signal: AbortSignal },
): Promise<StepOutcome> {
  const { sql, waitsMs } = caller
  const { organizationId, id: executionId } = run.execution
  const key = { organizationId, id: webhookCallId({ ...run, executionId, stepId: run.step.id }) }
  const timeoutMs = (run.step.config.timeoutSeconds ?? DEFAULT_TIMEOUT_S) * 1_000
  const host = hostOf(run)
  if (typeof host !== 'string') return host
  const request = await prepare(caller, run)
  if ('kind' in request) {
    await webhookCalls.finish(sql, key)
    return request
  }
  const leaseMs = timeoutMs + LEASE_SPARE_MS
  const tries = await webhookCalls.acquire(sql, key, { host, leaseMs })
  if (tries === undefined) throw slotRefused(number)
  let outcome: StepOutcome | Retry
  try {
    const waitMs = waitsMs[tries - 1]
    outcome = await tryOnce(caller, run, { request, timeoutMs, signal, waitMs })
  } catch (error) {
    await webhookCalls.release(sql, key, tries)
    throw error
  }
  if (!isRetry(outcome)) {
    await webhookCalls.finish(sql, key)
    return outcome
  }
  await webhookCalls.release(sql, key, tries, outcome)
  throw callFailed(outcome)
}

type Request = ReturnType<typeof requestOf>

interface Try {
  request: Request
  timeoutMs: number
  signal: AbortSignal
  /** Wait before the next try. Undefined: this was the last one. */
  waitMs: number | undefined
}

async function tryOnce(
  { fetcher, now }: Caller,
  run: StepRun<'webhook'>,
  { request, timeoutMs, signal, waitMs }: Try,
): Promise<StepOutcome | Retry> {
  try {
    const answer = await fetcher.send({ ...request, timeoutMs, mostBytes: MOST_BYTES, signal })
    countWebhookCall(answer.status)
    if (isSuccess(answer)) return { kind: 'done', branch: 'success', result: resultOf(answer) }
    const failure = refusedBy(answer)
    if (waitMs === undefined || !isPassingStatus(answer.status)) return failed(run, failure)
    return { ...failure, waitMs: Math.max(jittered(waitMs), retryAfter(answer, now())) }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    countWebhookCall(undefined)
    const failure = { reason: error.reason, error: error.message }
    if (waitMs === undefined || !isPassingReason(error.reason)) return failed(run, failure)
    return { ...failure, waitMs: jittered(waitMs) }
  }
}

async function prepare(
  { sql, keyring, renderer, now }: Caller,
  run: StepRun<'webhook'>,
): Promise<StepOutcome | Request> {
  const { organizationId, flowId, version, contactId } = run.execution
  const contact = await contacts.find(sql, organizationId, { id: contactId })
  if (!contact) return { kind: 'ended', status: 'cancelled', reason: 'contact_deleted' }
  const of = { flowId, version, stepId: run.step.id }
  const sealed = await flowSecrets.findOfStep(sql, organizationId, of)
  if (!sealed) return { kind: 'ended', status: 'cancelled', reason: 'workflow_deleted' }
  const event =
    run.step.config.body === undefined ? undefined : await eventKnownTo(sql, run.execution)
  try {
    const unsealed = unseal(keyring, run, sealed)
    const body = await untilRendered(() => bodyOf(run, { contact, event }, renderer))
    return requestOf(run, body, unsealed, now())
  } catch (error) {
    // The operator has to repair it, and the receiver did not answer: no branch is taken.
    if (error instanceof SecretUnreadable) return { kind: 'failed', ...UNREADABLE }
    if (error instanceof BodyTooLong) return failed(run, TOO_LONG)
    if (!(error instanceof RenderError)) throw error
    return failed(run, { reason: error.reason, error: `The body: ${error.message}` })
  }
}

interface Retry extends Failure {
  waitMs: number
}
const isRetry = (outcome: StepOutcome | Retry): outcome is Retry => 'waitMs' in outcome

const UNREADABLE = {
  reason: 'secret_unreadable',
  error: 'The secret of this workflow was sealed with a key that is not configured',
} as const
const TOO_LONG = { reason: 'too_large', error: 'The body is too long' } as const

/** Returns the host whose slots the call uses. A port or a final dot does not make another host. */
function hostOf(run: StepRun<'webhook'>): string | StepOutcome {
  try {
    return targetOf(run.step.config.url).host
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return failed(run, { reason: error.reason, error: error.message })
  }
}

function refusedBy(answer: Incoming): Failure {
  const { status } = answer
  return {
    reason: `http_${status}`,
    error: `The receiver answered ${status}`,
    result: resultOf(answer),
  }
}

function failed(
  { execution, step }: StepRun<'webhook'>,
  { reason, error, result }: Failure,
): StepOutcome {
  const { transitions } = execution.definition
  const isAwaited = transitions.some(({ from, branch }) => from === step.id && branch === 'failure')
  if (!isAwaited) return { kind: 'failed', reason, error }
  return { kind: 'done', branch: 'failure', result: { reason, ...Object(result) } }
}

/** Varies a wait by up to a fifth, so that calls that failed together do not come back together. */
const jittered = (ms: number): number => Math.round(ms * (0.8 + Math.random() * 0.4))

/**
 * The failure goes into histories, so it contains neither the address nor the headers nor the
 * answer.
 */
const callFailed = ({ reason, waitMs }: Retry): ApplicationFailure =>
  ApplicationFailure.create({
    message: `The call failed (${reason}) and is tried again`,
    type: 'WebhookFailed',
    nextRetryDelay: waitMs,
    category: 'BENIGN',
  })

/**
 * Returns a refusal whose wait grows with the age of the call, so that many waiting calls ask no
 * more often than a few.
 */
const slotRefused = (number: number): ApplicationFailure =>
  ApplicationFailure.create({
    message: 'The organization has reached its limit of concurrent calls',
    type: 'WebhookWaits',
    nextRetryDelay: jittered(
      Math.min(SLOT_WAIT_MS * 2 ** Math.min(number - 1, 20), MOST_SLOT_WAIT_MS),
    ),
    category: 'BENIGN',
  })
