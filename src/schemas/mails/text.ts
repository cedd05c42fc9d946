import { type Static, Type } from 'typebox'
import { MOST_DAYS_AHEAD, SINGLE_MAIL_STATUSES } from '../../domain/mails/single-mail.ts'
import { LONGEST_TEXT, MOST_PARTS } from '../../domain/mails/text-parts.ts'
import { LOG_STATUSES } from '../../domain/status.ts'
import {
  accountNames,
  Cursor,
  ID,
  Id,
  limit,
  line,
  NextCursor,
  nullable,
  oneOf,
  strict,
  TIME,
  Time,
} from '../common.ts'

const LONGEST_PHONE = 50
const LONGEST_SENDER = 256

const STATUSES = [...SINGLE_MAIL_STATUSES, ...LOG_STATUSES] as const
const Status = oneOf(STATUSES, {
  description:
    'The statuses of logs, and `scheduled` and `cancelled`. `opted_out` and `suppressed`: the number may not be texted, see `reason`.',
})

const ScheduledFor = {
  ...Time,
  description: `When to send it, at most ${MOST_DAYS_AHEAD} days ahead. A time that has just passed means at once.`,
}

const Parts = Type.Integer({
  minimum: 1,
  description:
    'Parts of the text, which the provider charges: 160 characters alone and 153 in each of several, with any character outside of the GSM alphabet 70 and 67.',
})

const EXAMPLE_INPUT = {
  to: '+12065550199',
  senderId: '+12065550100',
  body: 'Your parcel arrives today between 2 and 4 p.m.',
}

export const TextInput = strict(
  {
    to: line(LONGEST_PHONE, {
      description: 'One telephone number with its country code.',
      examples: ['+12065550199'],
    }),
    body: Type.String({
      minLength: 1,
      maxLength: LONGEST_TEXT,
      description: `Sent unchanged: \`{{ … }}\` in it is text. At most ${MOST_PARTS} parts.`,
    }),
    senderId: line(LONGEST_SENDER, {
      description:
        'The number, pool or sender id of the account that sends the text, or its ARN. Required: without one, the provider would choose among all numbers of the account.',
    }),
    scheduledFor: Type.Optional(ScheduledFor),
    retainBody: Type.Optional(
      Type.Boolean({
        description:
          '`true`, the default: the body is stored encrypted and can be read for 7 days (`/v1/sms/{id}/body`). `false`: it is deleted once the text is sent.',
      }),
    ),
    ...accountNames,
  },
  { title: 'TextInput', examples: [EXAMPLE_INPUT] },
)
export type TextInput = Static<typeof TextInput>

export const TextAccepted = Type.Object(
  { id: Id, status: Status, parts: Parts },
  { title: 'TextAccepted', examples: [{ id: ID, status: 'queued', parts: 1 }] },
)
export type TextAccepted = Static<typeof TextAccepted>

export const TextPatch = strict(
  { scheduledFor: ScheduledFor },
  { title: 'TextPatch', examples: [{ scheduledFor: TIME }] },
)

const fields = {
  reason: nullable(Type.String({ description: 'Reason why it was not sent, of an open set.' })),
  error: nullable(Type.String()),
  messageId: nullable(Type.String({ description: 'The provider’s message id.' })),
  parts: nullable(Parts),
  cloudAccountId: Id,
  createdAt: Time,
  sentAt: nullable(Time),
  deliveredAt: nullable(Time),
  bouncedAt: nullable(Time),
}

const EXAMPLE = {
  reason: null,
  error: null,
  messageId: '5f2c7b1e-6f1d-4a5b-8c9d-0e1f2a3b4c5d',
  parts: 1,
  cloudAccountId: ID,
  createdAt: TIME,
  sentAt: TIME,
  deliveredAt: null,
  bouncedAt: null,
}

export const Text = Type.Object(
  {
    id: Id,
    status: Status,
    to: nullable(Type.String({ description: 'Null if the person was erased.' })),
    senderId: nullable(Type.String()),
    ...fields,
    scheduledFor: nullable({ ...Time, description: 'Null once its time has come.' }),
    bodyKeptUntil: nullable({ ...Time, description: 'Null if the body cannot be read.' }),
    waitingForOutcome: nullable(
      Type.Object(
        { since: Time },
        {
          description:
            'The call was interrupted: the provider may have accepted the text. It is never sent again. The provider’s events decide, and after 25 hours without one it has failed.',
        },
      ),
    ),
  },
  {
    title: 'Text',
    examples: [
      {
        id: ID,
        status: 'sent',
        to: EXAMPLE_INPUT.to,
        senderId: EXAMPLE_INPUT.senderId,
        ...EXAMPLE,
        scheduledFor: null,
        bodyKeptUntil: TIME,
        waitingForOutcome: null,
      },
    ],
  },
)
export type Text = Static<typeof Text>

export const TextBody = Type.Object(
  { body: Type.String() },
  { title: 'TextBody', examples: [{ body: EXAMPLE_INPUT.body }] },
)

export const TextLogListQuery = strict({
  limit: limit(20, 100),
  cursor: Cursor,
  status: Type.Optional(oneOf(LOG_STATUSES)),
  recipient: Type.Optional(line(LONGEST_PHONE, { description: 'A telephone number.' })),
})

const TextLog = Type.Object(
  {
    id: Id,
    status: oneOf(LOG_STATUSES),
    recipient: nullable(Type.String()),
    senderId: nullable(Type.String()),
    ...fields,
    region: nullable(Type.String()),
  },
  { title: 'TextLog' },
)
export type TextLog = Static<typeof TextLog>

export const TextLogList = Type.Object(
  { logs: Type.Array(TextLog), nextCursor: NextCursor },
  {
    title: 'TextLogList',
    examples: [
      {
        logs: [
          {
            id: ID,
            status: 'sent',
            recipient: EXAMPLE_INPUT.to,
            senderId: EXAMPLE_INPUT.senderId,
            ...EXAMPLE,
            region: 'us-east-1',
          },
        ],
        nextCursor: null,
      },
    ],
  },
)
