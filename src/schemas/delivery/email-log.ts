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
const PEOPLE =
  'First open by a person. Known bots are not counted. A click counts as an open, without `openedAt`.'
/** Stages that a mail can have reached, whatever its status is now. */
const REACHED = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'suppressed',
  'complained',
] as const

const log = {
  id: Id,
  messageId: nullable(Type.String({ description: 'The provider’s message id.' })),
  status: oneOf(LOG_STATUSES),
  recipient: nullable(Type.String()),
  subject: nullable(Type.String()),
  from: nullable(Type.String()),
  sourceType: oneOf(SOURCE_TYPES),
  batchId: nullable(Id),
  executionId: nullable(Id),
  templateId: nullable(Id),
  variant: nullable(Type.String({ description: 'Variant of the batch’s A/B test.' })),
  cloudAccountId: Id,
  region: nullable(Type.String()),
  createdAt: Time,
  sentAt: nullable(Time),
  deliveredAt: nullable(Time),
  openedAt: nullable({ ...Time, description: 'First open by a person or a bot.' }),
  humanOpenedAt: nullable({ ...Time, description: PEOPLE }),
  clickedAt: nullable({
    ...Time,
    description: 'First click by a person or a bot. Links to our own pages are not counted.',
  }),
  humanClickedAt: nullable({
    ...Time,
    description: 'First click by a person. Known bots are not counted.',
  }),
  unsubscribedAt: nullable({
    ...Time,
    description: 'When a link of this mail unsubscribed the recipient.',
  }),
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
  humanOpenedAt: null,
  clickedAt: null,
  humanClickedAt: null,
  unsubscribedAt: null,
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

/** Limit of shown events. */
export const MOST_EVENTS = 1_000

const CONTENT_ORIGINS = ['kept', 'rendered_again'] as const
const EmailLogContent = Type.Object(
  {
    subject: Type.String(),
    html: nullable(Type.String()),
    text: nullable(Type.String()),
    origin: oneOf(CONTENT_ORIGINS, {
      description:
        '`kept` is the content that was sent. Mail of batches is rendered again from the version that was sent, with the contact’s present data.',
    }),
  },
  { title: 'EmailLogContent' },
)
export type EmailLogContent = Static<typeof EmailLogContent>

/** Reasons why a mail is shown without its content. */
const CONTENT_MISSING = [
  'scope',
  'not_sent',
  'not_ours',
  'not_kept',
  'contact_gone',
  'render_failed',
  'busy',
] as const
export type ContentMissing = (typeof CONTENT_MISSING)[number]

export const EmailLogDetail = Type.Object(
  {
    ...log,
    events: Type.Array(EmailLogEvent, { maxItems: MOST_EVENTS }),
    eventsTruncated: Type.Boolean({
      description: '`true` if there are more events than the first 1,000.',
    }),
    content: nullable(EmailLogContent),
    contentMissing: nullable(
      oneOf(CONTENT_MISSING, {
        description:
          'Why there is no content: the scope `full` is required; the mail was not sent; it is another program’s; its content is no longer stored, or was not to be stored; its contact was deleted or erased; it cannot be rendered with the contact’s present data; or the rendering took too long (try again).',
      }),
    ),
  },
  {
    title: 'EmailLogDetail',
    examples: [
      {
        ...EXAMPLE,
        events: [{ type: 'delivery', occurredAt: TIME, data: {} }],
        eventsTruncated: false,
        content: {
          subject: 'Hello Ada',
          html: '<p>Hello Ada</p>',
          text: 'Hello Ada',
          origin: 'rendered_again',
        },
        contentMissing: null,
      },
    ],
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
    oneOf(REACHED, {
      description: 'A status that the mail has ever reached. `status` filters by the present one.',
    }),
  ),
}

export const EmailLogListQuery = strict({ limit: limit(20, 100), cursor: Cursor, ...FILTERS })
export const EmailLogExportQuery = strict(FILTERS)
export type EmailLogExportQuery = Static<typeof EmailLogExportQuery>

export const EmailLogList = Type.Object(
  { logs: Type.Array(EmailLog), nextCursor: NextCursor },
  { title: 'EmailLogList', examples: [{ logs: [EXAMPLE], nextCursor: null }] },
)
