import { type Static, Type } from 'typebox'
import { EVENT_KINDS, LOG_STATUSES } from '../../domain/status.ts'
import {
  Address,
  Cursor,
  DayOrTime,
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

const SOURCE_TYPES = ['batch', 'workflow', 'transactional', 'confirmation', 'external'] as const
/** What a mail can ever have reached, whatever its status is now. */
const REACHED = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const

const log = {
  id: Id,
  messageId: nullable(Type.String({ description: 'The provider’s id.' })),
  status: oneOf(LOG_STATUSES),
  recipient: nullable(Type.String()),
  subject: nullable(Type.String()),
  from: nullable(Type.String()),
  sourceType: oneOf(SOURCE_TYPES),
  batchId: nullable(Id),
  executionId: nullable(Id),
  templateId: nullable(Id),
  variant: nullable(Type.String({ description: 'Of a batch with an A/B test: which one it is.' })),
  cloudAccountId: Id,
  region: nullable(Type.String()),
  createdAt: Time,
  sentAt: nullable(Time),
  deliveredAt: nullable(Time),
  openedAt: nullable(Time),
  clickedAt: nullable(Time),
  bouncedAt: nullable(Time),
  bounceType: nullable(Type.String()),
  bounceSubType: nullable(Type.String()),
  complainedAt: nullable(Time),
  error: nullable(Type.String()),
}

const EXAMPLE = {
  id: ID,
  messageId: '010701930f8c2a7e-6f1d2c3b-0000-4a5b-8c9d-0e1f2a3b4c5d-000000',
  status: 'delivered',
  recipient: 'ada@example.com',
  subject: 'Hello Ada',
  from: 'news@example.com',
  sourceType: 'batch',
  batchId: ID,
  executionId: null,
  templateId: ID,
  variant: null,
  cloudAccountId: ID,
  region: 'eu-central-1',
  createdAt: TIME,
  sentAt: TIME,
  deliveredAt: TIME,
  openedAt: null,
  clickedAt: null,
  bouncedAt: null,
  bounceType: null,
  bounceSubType: null,
  complainedAt: null,
  error: null,
}

export const EmailLog = Type.Object(log, { title: 'EmailLog' })
export type EmailLog = Static<typeof EmailLog>

export const EmailLogEvent = Type.Object(
  {
    type: oneOf(EVENT_KINDS),
    occurredAt: Time,
    data: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'EmailLogEvent' },
)
export type EmailLogEvent = Static<typeof EmailLogEvent>

export const EmailLogDetail = Type.Object(
  { ...log, events: Type.Array(EmailLogEvent) },
  {
    title: 'EmailLogDetail',
    examples: [{ ...EXAMPLE, events: [{ type: 'delivery', occurredAt: TIME, data: {} }] }],
  },
)

export const EmailLogParams = strict({
  messageId: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'The provider’s message id, or the id of the log.',
  }),
})

/** Columns of an export. */
export const LOG_COLUMNS = Object.keys(log) as readonly (keyof typeof log)[]

const FILTERS = {
  status: Type.Optional(oneOf(LOG_STATUSES)),
  recipient: Type.Optional(Address()),
  batchId: Type.Optional(Id),
  executionId: Type.Optional(Id),
  templateId: Type.Optional(Id),
  sourceType: Type.Optional(oneOf(SOURCE_TYPES)),
  from: Type.Optional(DayOrTime),
  to: Type.Optional(DayOrTime),
  reached: Type.Optional(
    oneOf(REACHED, { description: 'What the mail ever reached; `status` is the present one.' }),
  ),
}

export const EmailLogListQuery = strict({ limit: limit(20, 100), cursor: Cursor, ...FILTERS })
export const EmailLogExportQuery = strict(FILTERS)
export type EmailLogExportQuery = Static<typeof EmailLogExportQuery>

export const EmailLogList = Type.Object(
  { logs: Type.Array(EmailLog), nextCursor: NextCursor },
  { title: 'EmailLogList', examples: [{ logs: [EXAMPLE], nextCursor: null }] },
)
