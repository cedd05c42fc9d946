import { type Static, Type } from 'typebox'
import { oneOf, strict } from '../common.ts'

export const AccountNumberParams = strict({
  accountNumber: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The 12 digits of the account.',
  }),
})

/**
 * What EventBridge wraps around a delivery event. Fields that we do not use are kept as they are.
 */
export const EventEnvelope = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    account: Type.String({ maxLength: 64 }),
    region: Type.String({ maxLength: 64 }),
    detail: Type.Record(Type.String(), Type.Unknown()),
  },
  {
    title: 'EventEnvelope',
    additionalProperties: true,
    examples: [
      {
        version: '0',
        id: '3c0bb9a5-6a1f-b2a5-8a47-0a9c3a8f3c1d',
        'detail-type': 'Email Delivered',
        source: 'aws.ses',
        account: '123456789012',
        time: '2026-11-21T10:56:09Z',
        region: 'eu-central-1',
        resources: [],
        detail: { eventType: 'Delivery', mail: {} },
      },
    ],
  },
)
export type EventEnvelope = Static<typeof EventEnvelope>

export const WebhookAnswer = Type.Object(
  {
    status: oneOf(['processed', 'duplicate', 'ignored']),
    reason: Type.Optional(Type.String()),
  },
  { title: 'WebhookAnswer', examples: [{ status: 'processed' }] },
)
export type WebhookAnswer = Static<typeof WebhookAnswer>
