import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const Duration = Type.Integer({ minimum: 0 })

const SettingsSchema = Type.Object(
  {
    /** Older signatures are refused. AWS: five minutes. */
    signatureMaxAgeMs: Duration,
    /** Signatures further ahead are refused. AWS: five minutes. */
    signatureMaxAheadMs: Duration,
    /** Longest lifetime of temporary credentials, whatever the caller asks for. */
    sessionMaxMs: Duration,
    /** Concurrent delivery events. */
    eventConcurrency: Type.Integer({ minimum: 1, maximum: 256 }),
    /** Time limit of a webhook's answer. EventBridge: five seconds. */
    eventTimeoutMs: Type.Integer({ minimum: 1 }),
    /** First wait before a repetition, doubled each time, and the longest wait. */
    eventRetryFirstMs: Duration,
    eventRetryLongestMs: Duration,
    /** Failed events of this age, or repeated this often, are dropped. */
    eventKeepMs: Duration,
    eventMaxRetries: Type.Integer({ minimum: 0 }),
    /** Shortens waits and age: 1/60 plays an outage of 16 minutes in 16 s. */
    eventTimeScale: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
    /** Posts a second to each webhook, including repetitions. 0: unlimited. */
    eventRatePerSecond: Type.Number({ minimum: 0 }),
  },
  { additionalProperties: false },
)
export type Settings = Static<typeof SettingsSchema>

export const settingsUpdate = Compile(Type.Partial(SettingsSchema, { additionalProperties: false }))

export const DEFAULT_SETTINGS: Settings = {
  signatureMaxAgeMs: 300_000,
  signatureMaxAheadMs: 300_000,
  sessionMaxMs: 43_200_000,
  eventConcurrency: 32,
  eventTimeoutMs: 5_000,
  eventRetryFirstMs: 1_000,
  eventRetryLongestMs: 360_000,
  eventKeepMs: 86_400_000,
  eventMaxRetries: 185,
  eventTimeScale: 1,
  eventRatePerSecond: 300,
}
