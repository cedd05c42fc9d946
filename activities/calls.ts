import { setImmediate } from 'node:timers/promises'
import type { Composed, Refusal } from '../src/core/content/compose.ts'
import type { Answers } from '../src/domain/delivery/throttling.ts'
import type { Result } from '../src/store/delivery/messages.ts'
import type { Call, Mail, Mailer, Outcome } from './mailer.ts'

/** A claimed row, rendered, or the reason why it cannot be. */
export type Job = { id: string; mail: Mail } | { id: string; failed: Refusal }

/** What was composed for a claimed row. */
export const jobOf = (id: string, made: Composed, tags: Mail['tags'] = []): Job =>
  'failed' in made ? { id, ...made } : { id, mail: { ...made.mail, tags } }

/** A claimed row and its mail, or when that will be made; undefined: there was no time to. */
export interface Pending {
  id: string
  job: Job | Promise<Job | undefined>
}

/** What the calls of one claim say about the account as a whole. */
export interface Verdict {
  /** Calls that were accepted, and those that came too fast. */
  answers: Answers
  quotaUsedUp: boolean
  unreachable: string | undefined
  /** What is in the way is this organization's own: others on the account go on. */
  own: boolean
  unavailable: string | undefined
  /** It is the sender that is not available: the account may send from another. */
  isOfSender: boolean
  /** Rows that were refused for the sender's sake, and not for the recipient's. */
  senderRefused: Set<string>
  /** Calls that did not begin in time: their permits were not used. */
  notBegun: number
}

/** What became of one row, and how its call ended. */
interface EndedCall {
  result: Result
  outcome: Outcome | { kind: 'not_begun' }
}

/** Beginning calls gives way to the calls that have begun after this long. */
const YIELD_MS = 10
/** With half of a claim's calls unanswered the way to the provider is broken, not one mail. */
const BROKEN_SHARE = 0.5

/**
 * Calls the provider for every row of one claim and tells what became of each. A call begins when
 * its mail is made, whether or not others are: making a whole claim's mails first could take longer
 * than the claim allows, and nothing would ever be sent. Nothing is tried twice: a row that was not
 * accepted for a reason that is not its recipient's goes back to `queued`, and so does one whose
 * mail came too late.
 *
 * `mostCharacters`: of mails whose calls are under way at once. How long a mail is shows when it is
 * made: one that would be too much goes back, too, while another one's call is under way.
 */
export async function callAll(
  mailer: Mailer,
  pending: readonly Pending[],
  call: Call,
  mostCharacters = Infinity,
) {
  const room: Room = { taken: 0, most: mostCharacters }
  const calls: Promise<EndedCall>[] = []
  let yieldedAt = performance.now()
  for (const { id, job } of pending) {
    calls.push(callOne(mailer, { id, making: job, room }, call))
    if (performance.now() - yieldedAt < YIELD_MS) continue
    await setImmediate()
    yieldedAt = performance.now()
  }
  const ended = await Promise.all(calls)
  return {
    results: ended.map(({ result }) => result),
    verdict: verdictOf(ended),
  }
}

const NOT_BEGUN = { kind: 'not_begun' } as const

/** Characters of a claim's mails whose calls are under way. */
interface Room {
  taken: number
  most: number
}

async function callOne(
  mailer: Mailer,
  { id, making, room }: { id: string; making: Pending['job']; room: Room },
  call: Call,
): Promise<EndedCall> {
  const job = making instanceof Promise ? await making : making
  if (job && 'failed' in job) {
    const refused: Outcome = { kind: 'refused', reason: job.failed.reason, error: job.failed.error }
    return { result: resultOf(id, refused, ''), outcome: refused }
  }
  const length = job ? lengthOf(job.mail) : 0
  const isTooMuch = room.taken > 0 && room.taken + length > room.most
  if (!job || isTooMuch || performance.now() >= call.beginBy) {
    return { result: { id, outcome: 'queued' }, outcome: NOT_BEGUN }
  }
  room.taken += length
  const outcome = await mailer.send(job.mail, call).finally(() => (room.taken -= length))
  return { result: resultOf(id, outcome, job.mail.subject), outcome }
}

const lengthOf = ({ html, text }: Mail): number => (html?.length ?? 0) + (text?.length ?? 0)

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

function verdictOf(ended: readonly EndedCall[]): Verdict {
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
  for (const { result, outcome } of ended) {
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
  if (unknown > 1 && unknown >= ended.length * BROKEN_SHARE) verdict.unreachable ??= 'no answers'
  return verdict
}
