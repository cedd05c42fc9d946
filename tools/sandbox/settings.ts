import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const Duration = Type.Integer({ minimum: 0 })

const SettingsSchema = Type.Object(
  {
    /** Signatures older than this are refused. AWS: five minutes. */
    signatureMaxAgeMs: Duration,
    /** Signatures of the future. AWS: five minutes. */
    signatureMaxAheadMs: Duration,
    /** Temporary credentials live no longer than this, whatever the caller asks for. */
    sessionMaxMs: Duration,
    /** Delivery events in flight at once. */
    eventConcurrency: Type.Integer({ minimum: 1, maximum: 256 }),
    /** How long the webhook may take to answer. EventBridge: five seconds. */
    eventTimeoutMs: Type.Integer({ minimum: 1 }),
    /** The wait before the first repetition, doubled by each further one, and the longest. */
    eventRetryFirstMs: Duration,
    eventRetryLongestMs: Duration,
    /** An event that fails when it is older than this, or was repeated so often, is dropped. */
    eventKeepMs: Duration,
    eventMaxRetries: Type.Integer({ minimum: 0 }),
    /** Shortens the waits and the age together: 1/60 plays an outage of 16 minutes in 16 s. */
    eventTimeScale: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
    /** Posts a second to each webhook, repetitions among them; 0: no limit. */
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
