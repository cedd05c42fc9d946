import { setImmediate } from 'node:timers/promises'
import type { Composed, Refusal } from '../src/core/content/compose.ts'
import type { Answers } from '../src/domain/delivery/throttling.ts'
import { noteFailure } from '../src/runtime/failures.ts'
import { countMails } from '../src/runtime/metrics.ts'
import type { Result } from '../src/store/delivery/record-results.ts'
import { type Call, charactersOf, type Mail, type Mailer, type Outcome } from './mailer.ts'

export type Job = { id: string; mail: Mail } | { id: string; failed: Refusal }

export const jobOf = (id: string, composedMail: Composed, tags: Mail['tags'] = []): Job =>
  'failed' in composedMail ? { id, ...composedMail } : { id, mail: { ...composedMail.mail, tags } }

export interface Pending {
  id: string
  job: JobSource
}

/** A mail, or why there is none. A function makes it when its turn to be called has come. */
export type JobSource = Job | Promise<Job | undefined> | (() => Promise<Job | undefined>)

export interface Verdict {
  answers: Answers
  quotaUsedUp: boolean
  unreachable: string | undefined
  own: boolean
  unavailable: string | undefined
  isOfSender: boolean
  senderRefused: Set<string>
  /** Calls that did not begin in time. Their permits were not used. */
  notBegun: number
}

interface EndedCall {
  result: Result
  outcome: Outcome | { kind: 'not_begun' }
}

/** Interval after which starting calls yields to the running ones. */
const YIELD_MS = 10
/**
 * Share of unanswered calls of a claim at which the connection to the provider counts as broken.
 */
const BROKEN_SHARE = 0.5

export interface Room {
  take(characters: number): boolean
  free(characters: number): void
}

const UNBOUNDED: Room = { take: () => true, free: () => {} }

/** Room for so many characters, out of the room of `whole`. A larger mail is sent alone. */
export function createRoom(most: number, whole = UNBOUNDED): Room {
  let usedCharacters = 0
  return {
    take(characters) {
      if (usedCharacters > 0 && usedCharacters + characters > most) return false
      if (!whole.take(characters)) return false
      usedCharacters += characters
      return true
    },
    free(characters) {
      usedCharacters -= characters
      whole.free(characters)
    },
  }
}

/**
 * Calls the provider for every row of one claim and returns each outcome. A call begins when its
 * mail is ready: rendering a whole claim's mails first could take longer than the claim lasts, and
 * nothing would ever be sent. Nothing is tried twice: a row that was not accepted for a reason
 * other than its recipient returns to `queued`, and so does one whose mail came too late.
 *
 * How long a mail is shows when it is made: one for which there is no room goes back, too.
 */
export async function callAll(
  mailer: Mailer,
  pending: readonly Pending[],
  call: Call,
  room = UNBOUNDED,
) {
  const calls: Promise<EndedCall>[] = []
  let yieldedAt = performance.now()
  for (const { id, job } of pending) {
    calls.push(callOne(mailer, { id, making: job, room }, call))
    if (performance.now() - yieldedAt < YIELD_MS) continue
    await setImmediate()
    yieldedAt = performance.now()
  }
  const endedCalls = await Promise.all(calls)
  for (const { result } of endedCalls) {
    countMails(call.lane ?? 'transactional', result.outcome)
    if (result.outcome === 'failed') noteFailure(result.reason)
  }
  return {
    results: endedCalls.map(({ result }) => result),
    verdict: verdictOf(endedCalls),
  }
}

const NOT_BEGUN = { kind: 'not_begun' } as const

async function callOne(
  mailer: Mailer,
  { id, making, room }: { id: string; making: JobSource; room: Room },
  call: Call,
): Promise<EndedCall> {
  const job = await (typeof making === 'function' ? making() : making)
  if (job && 'failed' in job) {
    const refused: Outcome = { kind: 'refused', reason: job.failed.reason, error: job.failed.error }
    return { result: resultOf(id, refused, ''), outcome: refused }
  }
  const length = job ? charactersOf(job.mail) : 0
  if (!job || performance.now() >= call.beginBy || !room.take(length)) {
    return { result: { id, outcome: 'queued' }, outcome: NOT_BEGUN }
  }
  const outcome = await mailer.send(job.mail, call).finally(() => room.free(length))
  return { result: resultOf(id, outcome, job.mail.subject), outcome }
}

function resultOf(id: string, outcome: Outcome | { kind: 'not_begun' }, subject: string): Result {
  switch (outcome.kind) {
    case 'sent':
      return { id, outcome: 'sent', messageId: outcome.messageId, subject }
    case 'refused':
      return outcome.ofSender
        ? { id, outcome: 'queued' }
        : { id, outcome: 'failed', reason: outcome.reason, error: outcome.error }
    case 'unknown':
      return { id, outcome: 'unknown', error: outcome.error, subject }
    case 'not_begun':
    case 'throttled':
    case 'unavailable':
    case 'unreachable':
      return { id, outcome: 'queued' }
  }
}

function verdictOf(endedCalls: readonly EndedCall[]): Verdict {
  const verdict: Verdict = {
    answers: { calls: 0, throttled: 0 },
    quotaUsedUp: false,
    unreachable: undefined,
    own: false,
    unavailable: undefined,
    isOfSender: false,
    senderRefused: new Set(),
    notBegun: 0,
  }
  let unknown = 0
  for (const { result, outcome } of endedCalls) {
    if (outcome.kind === 'sent') verdict.answers.calls++
    if (outcome.kind === 'throttled' && outcome.scope === 'rate') {
      verdict.answers.calls++
      verdict.answers.throttled++
    }
    if (outcome.kind === 'throttled' && outcome.scope === 'quota') verdict.quotaUsedUp = true
    if (outcome.kind === 'unreachable') {
      verdict.unreachable = outcome.error
      verdict.own = outcome.own ?? false
    }
    const isOfSender = 'ofSender' in outcome
    if (isOfSender) verdict.senderRefused.add(result.id)
    if (outcome.kind === 'unavailable' && (!isOfSender || verdict.unavailable === undefined)) {
      verdict.unavailable = outcome.reason
      verdict.isOfSender = isOfSender
    }
    if (outcome.kind === 'not_begun') verdict.notBegun++
    if (outcome.kind === 'unknown') unknown++
  }
  if (unknown > 1 && unknown >= endedCalls.length * BROKEN_SHARE)
    verdict.unreachable ??= 'no answers'
  return verdict
}
