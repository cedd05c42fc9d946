import { setTimeout as sleep } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const Percent = Type.Number({ minimum: 0, maximum: 100 })
const Duration = Type.Integer({ minimum: 0 })

/** What can be made to go wrong, while the sandbox runs. */
const FaultsSchema = Type.Object(
  {
    /** 429 "Maximum sending rate exceeded."; not accepted. */
    throttlePercent: Percent,
    /** 500 InternalServiceError; not accepted. */
    serverErrorPercent: Percent,
    /** Accepted and stored, then the socket is destroyed without an answer. */
    acceptThenResetPercent: Percent,
    /** Accepted and stored, then 500. */
    acceptThenErrorPercent: Percent,
    /** Waits `stallMs` before the mail is looked at; its signature may be too old by then. */
    stallBeforePercent: Percent,
    /** Accepted and stored, answered `stallMs` later. */
    stallAfterPercent: Percent,
    stallMs: Duration,
    /** Never answered, not accepted: a host that died. */
    halfOpenPercent: Percent,
    /** Added to every send. */
    latencyMs: Duration,
    dailyQuotaExceeded: Type.Boolean(),
    suspended: Type.Boolean(),
    sendingPaused: Type.Boolean(),
    mailFromNotVerified: Type.Boolean(),
    denyAssumeRole: Type.Boolean(),
    /** AssumeRole: added to each, and the share that is refused as too many. */
    assumeRoleLatencyMs: Duration,
    assumeRoleThrottlePercent: Percent,
    /** Added to every call of SES, IAM and CloudWatch that sends nothing. */
    readLatencyMs: Duration,
    /** This share of them is refused as too many. */
    readThrottlePercent: Percent,
    /** Added to the due time of events of mail accepted from now on. */
    eventDelayMs: Duration,
    /** This share of events is posted twice, with the same id. */
    eventDuplicatePercent: Percent,
    /** Events of mail accepted from now on come in any order: a Click before its Send. */
    eventShuffle: Type.Boolean(),
    /** Then each is due at some time within this after its mail. */
    eventShuffleMs: Duration,
    /** Mail accepted from now on makes no events at all: nothing is configured to publish them. */
    eventsOff: Type.Boolean(),
    /** Events that are posted from now on have no tags, as an identity's own feedback. */
    eventsUntagged: Type.Boolean(),
    /** Nothing is posted; events pile up until this is off again. */
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

/** The switches: for everybody, and on top of that for single accounts. Gone with a restart. */
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
    /** Everything off; with an account only what was set for it alone. */
    reset: (account?: string): void => {
      if (account !== undefined) {
        own.delete(account)
        return
      }
      everybody = NO_FAULTS
      own.clear()
    },
    /** Accounts with switches of their own. */
    accounts: (): string[] => [...own.keys()],
  }
}
export type FaultSwitches = ReturnType<typeof createFaults>

export const happens = (percent: number): boolean => percent > 0 && Math.random() * 100 < percent

/** What has been switched on for calls that send nothing; true: refuse this one as too many. */
export async function slowRead({ readLatencyMs, readThrottlePercent }: Faults): Promise<boolean> {
  if (readLatencyMs > 0) await sleep(readLatencyMs)
  return happens(readThrottlePercent)
}
