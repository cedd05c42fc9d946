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
}
