import { ApplicationFailure } from '@temporalio/activity'
import { hashedId } from '../../src/ids.ts'
import { RenderError } from '../../src/mail/render.ts'
import { processRenderer, type Renderer } from '../../src/mail/renderer.ts'
import type { Fetcher, Incoming } from '../../src/net/fetch.ts'
import { FetchError } from '../../src/net/fetch-error.ts'
import { targetOf } from '../../src/net/target.ts'
import * as contacts from '../../src/store/contacts.ts'
import { latestEvent } from '../../src/store/execution-events.ts'
import type { Json, Sql } from '../../src/store/sql.ts'
import * as webhookCalls from '../../src/store/webhook-calls.ts'
import * as webhookSecrets from '../../src/store/webhook-secrets.ts'
import type { Keyring } from '../../src/tokens.ts'
import { untilRendered } from '../rendering.ts'
import type { CallingStep, StepOutcome, StepRun } from './step.ts'
import {
  isPassingReason,
  isPassingStatus,
  isSuccess,
  MOST_BYTES,
  resultOf,
  retryAfter,
} from './webhook-answer.ts'
import {
  type About,
  bodyOf,
  BodyTooLong,
  requestOf,
  SecretUnreadable,
  unseal,
} from './webhook-request.ts'

export interface WebhookDeps {
  sql: Sql
  keyring: Keyring
  fetcher: Fetcher
  now: () => number
  /** The process's own when absent. */
  renderer?: Renderer
  /** Between tries; one more try than waits. Tests make them small. */
  waitsMs?: readonly number[]
}

const DEFAULT_TIMEOUT_S = 10
/** Eight tries within ten minutes, and a pause that a restart of the receiver fits into. */
const WAITS_MS = [2_000, 5_000, 15_000, 40_000, 90_000, 180_000, 270_000]
/** What a call may take besides the request: two small transactions. */
const LEASE_SPARE_MS = 10_000
/** First and longest wait for a place, when an organization has too many calls in flight. */
const PLACE_MS = 1_000
const MOST_PLACE_MS = 2 * 60_000

/** No answer that the flow could go on with. */
interface Failure {
  reason: string
  error: string
  result?: Json
}

/**
 * Calls a stranger's receiver, signed as Standard Webhooks has it. Any 2xx is the branch `success`;
 * what may pass (no connection, no answer, 408, 425, 429, 5xx) is tried again, as often as there
 * are waits; then, and for everything else, the branch `failure` where the flow has it, or the
 * execution fails here. A redirect is an answer like others: nobody else is told our headers.
 *
 * At least once: a worker that is lost between call and answer makes another one call again, with
 * the same `webhook-id`. Tries are counted in Postgres, since those that found no free place are
 * none.
 */
export function createWebhook(deps: WebhookDeps): CallingStep<'webhook'> {
  const { sql, keyring, fetcher, now, waitsMs = WAITS_MS, renderer = processRenderer() } = deps
  return { where: 'webhook', call }

  async function call(
    run: StepRun<'webhook'>,
    { number, signal }: { number: number; signal: AbortSignal },
  ): Promise<StepOutcome> {
    const { organizationId, id: executionId } = run.execution
    const id = hashedId('webhook', executionId, run.step.id, run.visit, run.try)
    const key = { organizationId, id }
    const timeoutMs = (run.step.config.timeoutSeconds ?? DEFAULT_TIMEOUT_S) * 1_000
    const host = hostOf(run)
    if (typeof host !== 'string') return host
    const leaseMs = timeoutMs + LEASE_SPARE_MS
    const tries = await webhookCalls.take(sql, key, { host, leaseMs })
    if (tries === undefined) throw placeRefused(number)
    let outcome: StepOutcome | Retry
    try {
      outcome = await tryOnce(run, timeoutMs, signal, waitsMs[tries - 1])
    } catch (error) {
      await webhookCalls.release(sql, key, tries)
      throw error
    }
    if (!isRetry(outcome)) {
      await webhookCalls.finish(sql, key)
      return outcome
    }
    await webhookCalls.release(sql, key, tries)
    throw callFailed(outcome)
  }

  /** `waitMs`: before the next try; undefined: there is none. */
  async function tryOnce(
    run: StepRun<'webhook'>,
    timeoutMs: number,
    signal: AbortSignal,
    waitMs: number | undefined,
  ): Promise<StepOutcome | Retry> {
    const prepared = await prepare(run)
    if ('kind' in prepared) return prepared
    try {
      const answer = await fetcher.send({ ...prepared, timeoutMs, mostBytes: MOST_BYTES, signal })
      if (isSuccess(answer)) return { kind: 'done', branch: 'success', result: resultOf(answer) }
      const failure = refusedBy(answer)
      if (waitMs === undefined || !isPassingStatus(answer.status)) return failed(run, failure)
      return { ...failure, waitMs: Math.max(jittered(waitMs), retryAfter(answer, now())) }
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      const failure = { reason: error.reason, error: error.message }
      if (waitMs === undefined || !isPassingReason(error.reason)) return failed(run, failure)
      return { ...failure, waitMs: jittered(waitMs) }
    }
  }

  async function prepare(
    run: StepRun<'webhook'>,
  ): Promise<StepOutcome | ReturnType<typeof requestOf>> {
    const { organizationId, flowId, version, contactId } = run.execution
    const contact = await contacts.find(sql, organizationId, { id: contactId })
    if (!contact) return { kind: 'ended', status: 'cancelled', reason: 'contact_deleted' }
    const of = { flowId, version, stepId: run.step.id }
    const sealed = await webhookSecrets.load(sql, organizationId, of)
    if (!sealed) return { kind: 'ended', status: 'cancelled', reason: 'workflow_deleted' }
    const event = run.step.config.body === undefined ? undefined : await eventOf(sql, run)
    try {
      const unsealed = unseal(keyring, run, sealed)
      const body = await untilRendered(() => bodyOf(run, { contact, event }, renderer))
      return requestOf(run, body, unsealed, now())
    } catch (error) {
      // The operator's to repair, and no answer of the receiver: the branch is not taken.
      if (error instanceof SecretUnreadable) return { kind: 'failed', ...UNREADABLE }
      if (error instanceof BodyTooLong) return failed(run, TOO_LONG)
      if (!(error instanceof RenderError)) throw error
      return failed(run, { reason: error.reason, error: `The body: ${error.message}` })
    }
  }
}

/** What started the execution is what it was given, also where the event is not kept any more. */
async function eventOf(sql: Sql, { execution }: StepRun<'webhook'>): Promise<About['event']> {
  const { organizationId, id, data, definition } = execution
  const latest = await latestEvent(sql, organizationId, id)
  const { trigger } = definition
  return latest ?? (trigger.type === 'event' ? { name: trigger.name, properties: data } : undefined)
}

interface Retry {
  reason: string
  waitMs: number
}
const isRetry = (outcome: StepOutcome | Retry): outcome is Retry => 'waitMs' in outcome

const UNREADABLE = {
  reason: 'secret_unreadable',
  error: 'None of the keys that are set opens the secret of this workflow',
} as const
const TOO_LONG = { reason: 'too_large', error: 'The body is too long' } as const

/** Whose places the call takes; a port or a dot at the end makes no other host. */
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

/** Within a fifth of it, so that those who failed together do not come back together. */
const jittered = (ms: number): number => Math.round(ms * (0.8 + Math.random() * 0.4))

/** Into histories: nothing of the address, the headers or the answer. */
const callFailed = ({ reason, waitMs }: Retry): ApplicationFailure =>
  ApplicationFailure.create({
    message: `The call failed (${reason}) and is tried again`,
    type: 'WebhookFailed',
    nextRetryDelay: waitMs,
    category: 'BENIGN',
  })

/** The longer one has waited the less often it asks: a crowd asks no more than a few do. */
const placeRefused = (number: number): ApplicationFailure =>
  ApplicationFailure.create({
    message: 'The organization has as many calls in flight as it may',
    type: 'WebhookWaits',
    nextRetryDelay: jittered(Math.min(PLACE_MS * 2 ** Math.min(number - 1, 20), MOST_PLACE_MS)),
    category: 'BENIGN',
  })
