import { setTimeout as sleep } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const Percent = Type.Number({ minimum: 0, maximum: 100 })
const Duration = Type.Integer({ minimum: 0 })

/** Faults that can be switched on while the sandbox runs. */
const FaultsSchema = Type.Object(
  {
    /** 429 "Maximum sending rate exceeded.", not accepted. */
    throttlePercent: Percent,
    /** 500 InternalServiceError, not accepted. */
    serverErrorPercent: Percent,
    /** Accepted and stored, then the socket is destroyed without an answer. */
    acceptThenResetPercent: Percent,
    /** Accepted and stored, then 500. */
    acceptThenErrorPercent: Percent,
    /** Waits `stallMs` before checking the mail. Its signature may be too old by then. */
    stallBeforePercent: Percent,
    /** Accepted and stored, answered `stallMs` later. */
    stallAfterPercent: Percent,
    stallMs: Duration,
    /** Never answered and not accepted, like a dead host. */
    halfOpenPercent: Percent,
    /** Added to every send. */
    latencyMs: Duration,
    dailyQuotaExceeded: Type.Boolean(),
    suspended: Type.Boolean(),
    sendingPaused: Type.Boolean(),
    mailFromNotVerified: Type.Boolean(),
    denyAssumeRole: Type.Boolean(),
    /** AssumeRole: latency of each call, and the share that is throttled. */
    assumeRoleLatencyMs: Duration,
    assumeRoleThrottlePercent: Percent,
    /** Added to every call of SES, IAM and CloudWatch except sends. */
    readLatencyMs: Duration,
    /** Share of these calls that is throttled. */
    readThrottlePercent: Percent,
    /** Added to the due time of events of mail accepted from now on. */
    eventDelayMs: Duration,
    /** Share of events that is posted twice with the same id. */
    eventDuplicatePercent: Percent,
    /** Events of mail accepted from now on arrive in any order: a Click before its Send. */
    eventShuffle: Type.Boolean(),
    /** Period after the mail in which each shuffled event is due. */
    eventShuffleMs: Duration,
    /** Mail accepted from now on makes no events, as without a destination. */
    eventsOff: Type.Boolean(),
    /** Events posted from now on have no tags, like an identity's own feedback. */
    eventsUntagged: Type.Boolean(),
    /** Nothing is posted, and events pile up until this is off. */
    eventsStopped: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type Faults = Static<typeof FaultsSchema>

export const faultsUpdate = Compile(Type.Partial(FaultsSchema, { additionalProperties: false }))

export const NO_FAULTS: Faults = {
  throttlePercent: 0,
  serverErrorPercent: 0,
  acceptThenResetPercent: 0,
  acceptThenErrorPercent: 0,
  stallBeforePercent: 0,
  stallAfterPercent: 0,
  stallMs: 5_000,
  halfOpenPercent: 0,
  latencyMs: 0,
  dailyQuotaExceeded: false,
  suspended: false,
  sendingPaused: false,
  mailFromNotVerified: false,
  denyAssumeRole: false,
  assumeRoleLatencyMs: 0,
  assumeRoleThrottlePercent: 0,
  readLatencyMs: 0,
  readThrottlePercent: 0,
  eventDelayMs: 0,
  eventDuplicatePercent: 0,
  eventShuffle: false,
  eventShuffleMs: 2_000,
  eventsOff: false,
  eventsUntagged: false,
  eventsStopped: false,
}

/** Switches for all accounts, and further ones for single accounts. A restart clears them. */
export function createFaults() {
  let everybody = NO_FAULTS
  const own = new Map<string, Partial<Faults>>()
  return {
    of: (account?: string): Faults => {
      const set = account === undefined ? undefined : own.get(account)
      return set ? { ...everybody, ...set } : everybody
    },
    set: (update: Partial<Faults>, account?: string): void => {
      if (account === undefined) everybody = { ...everybody, ...update }
      else own.set(account, { ...own.get(account), ...update })
    },
    /** Switches everything off. With an account, only its own switches. */
    reset: (account?: string): void => {
      if (account !== undefined) {
        own.delete(account)
        return
      }
      everybody = NO_FAULTS
      own.clear()
    },
    /** Accounts with their own switches. */
    accounts: (): string[] => [...own.keys()],
  }
}
export type FaultSwitches = ReturnType<typeof createFaults>

export const happens = (percent: number): boolean => percent > 0 && Math.random() * 100 < percent

/** Applies the faults of calls that do not send. True: throttle this one. */
export async function slowRead({ readLatencyMs, readThrottlePercent }: Faults): Promise<boolean> {
  if (readLatencyMs > 0) await sleep(readLatencyMs)
  return happens(readThrottlePercent)
}
