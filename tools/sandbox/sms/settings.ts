import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false }

/** What an account has of End User Messaging SMS in one region. */
export const SmsSettingsSchema = Type.Object(
  {
    /** `SANDBOX`: sends to verified destinations only. */
    tier: Type.Enum(['SANDBOX', 'PRODUCTION']),
    verifiedDestinations: Type.Array(Type.String()),
    /** US dollars a month. The price of accepted texts counts towards it. */
    spendLimit: Type.Number({ minimum: 0 }),
    /** Price of a part and the carrier's fee for it, in US dollars. */
    price: Type.Number({ minimum: 0 }),
    carrierFee: Type.Number({ minimum: 0 }),
    senders: Type.Array(
      Type.Object(
        {
          /** E.164, or the letters of a sender id. */
          identity: Type.String({ minLength: 3, maxLength: 20 }),
          id: Type.String({ pattern: '^[\\w-]{1,64}$' }),
          type: Type.Enum([
            'LONG_CODE',
            'SHORT_CODE',
            'TEN_DLC',
            'TOLL_FREE',
            'SIMULATOR',
            'SENDER_ID',
          ]),
          country: Type.String({ pattern: '^[A-Z]{2}$' }),
          status: Type.Enum(['PENDING', 'ACTIVE', 'ASSOCIATING', 'DISASSOCIATING', 'DELETED']),
          messageType: Type.Enum(['TRANSACTIONAL', 'PROMOTIONAL']),
          /** Parts that it sends a second. */
          partsPerSecond: Type.Number({ exclusiveMinimum: 0 }),
          optOutList: Type.String({ minLength: 1 }),
          selfManagedOptOuts: Type.Boolean(),
          pool: Type.Optional(Type.String({ pattern: '^[\\w-]{1,64}$' })),
          /** Has a two-way channel: what people write to it goes to the topic of the set. */
          twoWay: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
    /** `queue`: subscribed to the set's topic. Without one its events go nowhere. */
    configurationSets: Type.Array(
      Type.Object(
        {
          name: Type.String({ pattern: '^[\\w-]{1,64}$' }),
          topic: Type.String({ pattern: '^[\\w-]{1,256}$' }),
          queue: Type.Optional(Type.String()),
        },
        closed,
      ),
    ),
    /** Delay of the first event after a text, and of the last one after that. */
    eventDelayMs: Type.Integer({ minimum: 0 }),
    finalDelayMs: Type.Integer({ minimum: 0 }),
  },
  closed,
)
export type SmsSettings = Static<typeof SmsSettingsSchema>
export type SmsSender = SmsSettings['senders'][number]

export const NO_SMS: SmsSettings = {
  tier: 'SANDBOX',
  verifiedDestinations: [],
  spendLimit: 1,
  price: 0.00581,
  carrierFee: 0.003,
  senders: [],
  configurationSets: [],
  eventDelayMs: 50,
  finalDelayMs: 200,
}
