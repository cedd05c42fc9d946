import { type Static, Type } from 'typebox'
import { LOG_STATUSES } from '../../domain/status.ts'
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

/** The statuses of logs, and `cancelled`: logs do not list mails that were cancelled. */
const RECIPIENT_STATUSES = [...LOG_STATUSES, 'cancelled'] as const

export const Recipient = Type.Object(
  {
    id: Id,
    contactId: nullable(Id),
    email: nullable(Type.String()),
    variant: nullable(
      Type.String({ description: 'Variant of an A/B test that the contact receives.' }),
    ),
    status: oneOf(RECIPIENT_STATUSES),
    messageId: nullable(Type.String()),
    reason: nullable(Type.String()),
    error: nullable(Type.String()),
    sentAt: nullable(Time),
    deliveredAt: nullable(Time),
    openedAt: nullable(Time),
    clickedAt: nullable(Time),
    bouncedAt: nullable(Time),
    complainedAt: nullable(Time),
  },
  { title: 'Recipient' },
)
export type Recipient = Static<typeof Recipient>

const MOST_OFFSET = 10_000_000

export const RecipientListQuery = strict({
  limit: limit(50, 1_000),
  offset: Type.Integer({ minimum: 0, maximum: MOST_OFFSET, default: 0 }),
  cursor: Cursor,
  status: Type.Optional(oneOf(RECIPIENT_STATUSES)),
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Only those with this `reason`: see `GET /v1/batch/{id}/reasons`.',
    }),
  ),
})

export const BatchReason = Type.Object(
  {
    status: oneOf(RECIPIENT_STATUSES, {
      description:
        '`failed`; `suppressed` or `opted_out`: was skipped; `pending`: in doubt, the provider may have accepted it.',
    }),
    reason: nullable(
      Type.String({
        description:
          'Why, a stable word of an open set such as `message_rejected`, `contact_deleted` or `topic_unsubscribed`. Null: of mails in doubt.',
      }),
    ),
    count: Count,
  },
  { title: 'BatchReason' },
)
export type BatchReason = Static<typeof BatchReason>

export const BatchReasonList = Type.Object(
  { data: Type.Array(BatchReason) },
  {
    title: 'BatchReasonList',
    examples: [
      {
        data: [
          { status: 'failed', reason: 'message_rejected', count: 312 },
          { status: 'opted_out', reason: 'unsubscribed', count: 18 },
        ],
      },
    ],
  },
)

export const RecipientList = Type.Object(
  {
    data: Type.Array(Recipient),
    limit: Type.Integer({ minimum: 1 }),
    offset: Count,
    total: Count,
    nextCursor: NextCursor,
  },
  {
    title: 'RecipientList',
    examples: [
      {
        data: [
          {
            id: ID,
            contactId: ID,
            email: 'ada@example.com',
            variant: null,
            status: 'delivered',
            messageId: '010701930f8c2a7e-6f1d2c3b-0000-4a5b-8c9d-0e1f2a3b4c5d-000000',
            reason: null,
            error: null,
            sentAt: TIME,
            deliveredAt: TIME,
            openedAt: null,
            clickedAt: null,
            bouncedAt: null,
            complainedAt: null,
          },
        ],
        limit: 50,
        offset: 0,
        total: 5_000,
        nextCursor: null,
      },
    ],
  },
)
