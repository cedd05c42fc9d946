import type { Channel } from '../channel.ts'
import type { Timings } from './timings.ts'

/** Fewer mails than this prove nothing about a connection's events. */
export const LEAST_WITNESSES = 20

/**
 * Facts about a claim whose calls may have begun and whose outcome was not reported. Times in
 * milliseconds since 1970, by the clock of Postgres.
 *
 * A witness is a mail of the same connection whose call was answered and which was claimed within
 * `neighbourMs` of the claim, or a probe claimed after it.
 */
export interface Evidence {
  /** Silence about a text proves nothing: carriers may take three days to report. */
  channel: Channel
  now: number
  claimedAt: number
  witnesses: number
  /** Witnesses that have an event, of any kind. */
  arrived: number
  /** Witnesses claimed after the claim. */
  later: number
  /** Latest of the witnesses' first events. Null: no witness has an event. */
  lastArrivalAt: number | null
  /** End of the last interruption of our receiving since the claim. Null: there was none. */
  interruptedUntil: number | null
  /** Events may come by SNS, which gives up within an hour: missed events never come. */
  isGivenUp: boolean
  /** Postgres was restored from a backup since the claim: its events may be lost. */
  isRestored: boolean
  /** Delivery events can be received now. */
  isReceiving: boolean
  /** Mails or probes claimed after the last interruption whose calls were answered. */
  sinceInterruption: number
  /** Witnesses among them that have an event. */
  arrivedSinceInterruption: number
  /**
   * Number of the claim's senders without an event since the claim, if their mail may have gone
   * without our configuration set: their events may go elsewhere than the witnesses'.
   */
  unheardSenders: number
  /** Every event received until a moment ago is applied, and none was set aside. */
  isApplied: boolean
}

export type Judgement =
  /** Silence proves that the provider never accepted these mails. */
  | { kind: 'not_accepted' }
  /** The outcome can never be known. */
  | { kind: 'unknowable' }
  /** Must be judged again. `probes`: number of further witnesses needed. */
  | { kind: 'wait'; probes: number }

/**
 * Judges mails in doubt by the provider's events about other mails.
 *
 * The event bus tries again for a day, with gaps that grow with the time that has passed. So after
 * an interruption new events overtake old ones, and their arrival proves nothing about events that
 * wait. Silence is proof only if all mails of the same time have events, some mails were sent since
 * receiving began again, and twice the longest silence so far has passed: by then the bus has tried
 * every event of that time again. SNS does not do so: with it, silence across an interruption
 * proves nothing. The same holds across a restore: events were received and lost with the rows.
 */
export function judgeDoubt(
  evidence: Evidence,
  { doubtMs, neighbourMs, giveUpMs }: Pick<Timings, 'doubtMs' | 'neighbourMs' | 'giveUpMs'>,
): Judgement {
  const { now, claimedAt, isReceiving, lastArrivalAt } = evidence
  const age = now - claimedAt
  const interruptedUntil = isReceiving ? evidence.interruptedUntil : now
  const interruption = interruptedUntil === null ? 0 : interruptedUntil - claimedAt
  const silence = lastArrivalAt === null ? 0 : lastArrivalAt - claimedAt

  const isLost = evidence.isRestored || (evidence.isGivenUp && interruptedUntil !== null)

  const missing = Math.max(
    LEAST_WITNESSES - evidence.witnesses,
    evidence.later === 0 ? 1 : 0,
    interruptedUntil !== null && evidence.sinceInterruption === 0 ? 1 : 0,
    Math.min(evidence.unheardSenders, LEAST_WITNESSES),
    0,
  )
  const isText = evidence.channel === 'sms'
  const isProof =
    !isText &&
    isReceiving &&
    missing === 0 &&
    evidence.arrived === evidence.witnesses &&
    (interruptedUntil === null || evidence.arrivedSinceInterruption > 0) &&
    !isLost &&
    evidence.isApplied &&
    age >= Math.max(doubtMs, 2 * silence, 2 * interruption)
  if (isProof) return { kind: 'not_accepted' }
  if (age >= Math.max(giveUpMs, 2 * interruption)) return { kind: 'unknowable' }
  const isProbed = !isText && isReceiving && !isLost && age >= neighbourMs
  return { kind: 'wait', probes: isProbed ? missing : 0 }
}

/** `fail`: a mail whose outcome stays unknown counts as failed; `retry`: it is sent again. */
export type UnknownOutcome = 'fail' | 'retry'

export type Decision = 'not_accepted' | 'unknown_outcome' | 'again'

/** Returns what happens to the rows of a judged claim. */
export function decisionOf(
  kind: Exclude<Judgement['kind'], 'wait'>,
  unknownOutcome: UnknownOutcome,
): Decision {
  if (kind === 'not_accepted') return kind
  return unknownOutcome === 'retry' ? 'again' : 'unknown_outcome'
}

/** Rounds in the lease of a claim. */
export const ROUNDS_PER_LEASE = 5
/** An old claim is judged again after this part of its age. */
const AGE_PER_LOOK = 20
const LONGEST_WAIT_MS = 60_000
/** Probes for an old claim are requested again after this part of its age. */
const AGE_PER_PROBES = 4

type Age = Pick<Evidence, 'now' | 'claimedAt'>

/** Time of the next judgement of an undecided claim. */
export const nextLookMs = (
  { now, claimedAt }: Age,
  { leaseMs }: Pick<Timings, 'leaseMs'>,
): number =>
  Math.min(LONGEST_WAIT_MS, Math.max(leaseMs / ROUNDS_PER_LEASE, (now - claimedAt) / AGE_PER_LOOK))

/** Returns the wait between probes, which grows with the age of a claim. */
export const probeEveryMs = (
  { now, claimedAt }: Age,
  { neighbourMs }: Pick<Timings, 'neighbourMs'>,
): number => Math.max(neighbourMs, (now - claimedAt) / AGE_PER_PROBES)
