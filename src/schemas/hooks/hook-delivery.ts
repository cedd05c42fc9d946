import { type Static, Type } from 'typebox'
import { DELIVERY_STATES, HOOK_EVENT_TYPES } from '../../domain/hooks/hook-event.ts'
import {
  Count,
  Cursor,
  ID,
  Id,
  limit,
  NextCursor,
  nullable,
  oneOf,
  strict,
  TIME,
  Time,
} from '../common.ts'

const delivery = {
  id: Id,
  eventId: Type.String({
    description: 'Id of the event, which is the header `webhook-id` of each of its calls.',
    examples: ['evt_0199c2f47d1e7a609c1b2f6d1f0b7a11'],
  }),
  type: oneOf(HOOK_EVENT_TYPES),
  state: oneOf(DELIVERY_STATES, {
    description:
      '`failed`: no call succeeded within 72 hours. `cancelled`: it is not called any more, since what it is about is gone, or since held events were dropped.',
  }),
  attempts: Count,
  isTest: Type.Boolean(),
  occurredAt: Time,
  nextTryAt: nullable({
    ...Time,
    description: 'Time of the next call. It may come later while the endpoint keeps failing.',
  }),
  tries: Type.Array(
    Type.Object({
      at: Time,
      status: nullable(Type.Integer({ description: 'HTTP status of the answer.' })),
      ms: Count,
      error: nullable(Type.String({ description: 'Why the call failed.' })),
    }),
    { description: 'The last 12 calls, oldest first.' },
  ),
  answer: nullable(
    Type.String({
      description: 'The first 500 characters of the last answer, if that was no success.',
    }),
  ),
}

const EXAMPLE = {
  id: ID,
  eventId: 'evt_0199c2f47d1e7a609c1b2f6d1f0b7a11',
  type: 'email.bounced',
  state: 'pending',
  attempts: 1,
  isTest: false,
  occurredAt: TIME,
  nextTryAt: TIME,
  tries: [{ at: TIME, status: 503, ms: 41, error: 'The receiver answered 503' }],
  answer: 'upstream unavailable',
}

export const HookDelivery = Type.Object(delivery, {
  title: 'WebhookDelivery',
  examples: [EXAMPLE],
})
export type HookDelivery = Static<typeof HookDelivery>

export const HookDeliveryListQuery = strict({
  limit: limit(20, 100),
  cursor: Cursor,
  state: Type.Optional(oneOf(DELIVERY_STATES)),
  type: Type.Optional(oneOf(HOOK_EVENT_TYPES)),
})

export const HookDeliveryList = Type.Object(
  { data: Type.Array(HookDelivery), nextCursor: NextCursor },
  { title: 'WebhookDeliveryList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

export const HookTestInput = nullable(
  strict(
    {
      type: Type.Optional(
        oneOf(HOOK_EVENT_TYPES, {
          description: 'Type of the sample event. Defaults to the first type of the endpoint.',
        }),
      ),
    },
    { title: 'WebhookTestInput', examples: [{ type: 'email.bounced' }] },
  ),
)

export const HookTest = Type.Object(
  { deliveryId: Id },
  { title: 'WebhookTest', examples: [{ deliveryId: ID }] },
)

const REPLAYED_STATES = ['failed', 'delivered', 'cancelled'] as const

export const HookReplayInput = strict(
  {
    since: { ...Time, description: 'Deliveries that were written at or after this time.' },
    until: Type.Optional({ ...Time, description: 'And before this time. Defaults to now.' }),
    states: Type.Optional(
      Type.Array(oneOf(REPLAYED_STATES), {
        minItems: 1,
        maxItems: REPLAYED_STATES.length,
        uniqueItems: true,
        description: 'Defaults to `failed`.',
      }),
    ),
  },
  {
    title: 'WebhookReplayInput',
    examples: [{ since: '2026-11-21T00:00:00.000Z', states: ['failed'] }],
  },
)
export type HookReplayInput = Static<typeof HookReplayInput>

export const HookReplay = Type.Object(
  {
    replayed: Type.Integer({ minimum: 0, description: 'Deliveries that are queued again.' }),
    more: Type.Boolean({
      description: 'There are more than were queued. Repeat the call to queue the next ones.',
    }),
  },
  { title: 'WebhookReplay', examples: [{ replayed: 12, more: false }] },
)
