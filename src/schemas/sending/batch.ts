import { type Static, Type } from 'typebox'
import { AUDIENCE_TYPES } from '../../domain/audience/audience.ts'
import { BATCH_STATUSES } from '../../domain/sending/batch.ts'
import { LOG_STATUSES } from '../../domain/status.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import {
  accountNames,
  Address,
  Count,
  Cursor,
  From,
  FromName,
  ID,
  Id,
  limit,
  line,
  NextCursor,
  notYet,
  nullable,
  oneOf,
  oneOfSoon,
  Page,
  strict,
  TIME,
  Time,
  warnings,
} from '../common.ts'
import { CHANNELS } from '../contacts/contact.ts'

/**
 * What a recipient of a batch shows: the log's statuses, and `cancelled`, which logs do not list.
 */
const RECIPIENT_STATUSES = [...LOG_STATUSES, 'cancelled'] as const

const counters = {
  totalRecipients: Type.Integer({
    minimum: 0,
    description: 'An estimate until `audienceFrozenAt` is set.',
  }),
  processedRecipients: Count,
  sent: Count,
  failed: Count,
  skipped: Type.Integer({ minimum: 0, description: 'Refused by us: left, or may not be mailed.' }),
  unknown: Type.Integer({
    minimum: 0,
    description:
      'In doubt: the call may have been accepted. Settled by the provider’s events or their proven absence.',
  }),
  delivered: Count,
  opened: Count,
  clicked: Count,
  bounced: Count,
  complained: Count,
  suppressed: Count,
  unsubscribed: Count,
}

/** Of lists: without contents, which may be megabytes each. */
const summary = {
  id: Id,
  status: oneOf(BATCH_STATUSES),
  channel: oneOf(CHANNELS),
  name: nullable(Type.String()),
  ...counters,
  startedAt: nullable(Time),
  completedAt: nullable(Time),
  createdAt: Time,
  audience: Type.Object({
    type: oneOf(AUDIENCE_TYPES),
    contactCount: nullable(Type.Integer({ description: 'Contacts named, for type `contacts`.' })),
  }),
  audienceFrozenAt: nullable(Time),
  from: Type.String({ description: 'The address.' }),
  fromName: nullable(Type.String()),
  replyTo: nullable(Type.String()),
  subject: Type.String(),
  previewText: nullable(Type.String()),
  scheduledFor: nullable(Time),
  cloudAccountId: Id,
  templateId: nullable(Id),
  topicId: nullable({ ...Id, description: 'Only its subscribers are mailed.' }),
  segmentId: nullable({ ...Id, description: 'Of audience type `segment`.' }),
  paused: Type.Boolean(),
  pausedReason: nullable(Type.String()),
  failedReason: nullable(
    Type.String({
      description:
        'Why it failed, one of an open set: `sender_rejected` (the provider refuses the sender), `render_timeout` (its mails take too long to make), `not_verified`, `disconnected`, `account_suspended`, `sending_paused`, `stopped_by_operator`, `segment_not_usable`, `segment_too_slow` … A failed batch can be resumed or discarded; one that was discarded keeps it.',
    }),
  ),
  duplicates: Type.Integer({
    minimum: 0,
    description: 'Mails that the provider told us it accepted a second time.',
  }),
  waitingForOutcome: nullable(
    Type.Object(
      {
        count: Count,
        until: nullable(Time),
      },
      {
        description:
          'Mails whose call may have been accepted: the provider’s events, or their proven absence, decide. `until` is set while nothing else is open: then the batch is `completed` without them, or with `unknownOutcome` `retry` they are sent again.',
      },
    ),
  ),
}

const VariableMapping = strict({
  variableName: Type.String({ minLength: 1, maxLength: 100 }),
  source: strict({
    type: oneOf(['static', 'contact']),
    value: Type.Optional(
      Type.Unsafe<string | number | boolean>({
        type: ['string', 'number', 'boolean'],
        maxLength: 10_000,
      }),
    ),
    field: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  }),
})
export type VariableMapping = Static<typeof VariableMapping>

/** With all that is sent. */
const batch = {
  ...summary,
  htmlContent: Type.String({
    description: 'As it is sent; with `templateId` that of the version that the batch keeps.',
  }),
  textContent: Type.String({ description: 'As it is sent: made of the HTML if none was given.' }),
  variableMappings: Type.Array(VariableMapping),
}

const EXAMPLE_SUMMARY = {
  id: ID,
  status: 'processing',
  channel: 'email',
  name: 'November news',
  totalRecipients: 5_000,
  processedRecipients: 2_000,
  sent: 1_990,
  failed: 0,
  skipped: 10,
  unknown: 0,
  delivered: 1_950,
  opened: 420,
  clicked: 80,
  bounced: 4,
  complained: 0,
  suppressed: 1,
  unsubscribed: 2,
  startedAt: TIME,
  completedAt: null,
  createdAt: TIME,
  audience: { type: 'all', contactCount: null },
  audienceFrozenAt: TIME,
  from: 'news@example.com',
  fromName: 'Example News',
  replyTo: null,
  subject: 'Hello {{ contact.firstName | default: "there" }}',
  previewText: null,
  scheduledFor: null,
  cloudAccountId: ID,
  templateId: null,
  topicId: null,
  segmentId: null,
  paused: false,
  pausedReason: null,
  failedReason: null,
  duplicates: 0,
  waitingForOutcome: null,
}

const EXAMPLE = {
  ...EXAMPLE_SUMMARY,
  htmlContent: '<p>Our news of the week.</p>',
  textContent: 'Our news of the week.',
  variableMappings: [],
}

export const BatchSummary = Type.Object(summary, {
  title: 'BatchSummary',
  description: 'A batch without `htmlContent`, `textContent` and `variableMappings`.',
  examples: [EXAMPLE_SUMMARY],
})
export type BatchSummary = Static<typeof BatchSummary>

export const Batch = Type.Object(batch, { title: 'Batch', examples: [EXAMPLE] })
export type Batch = Static<typeof Batch>

export const CreatedBatch = Type.Object(
  {
    ...batch,
    ...warnings,
  },
  { title: 'CreatedBatch', examples: [{ ...EXAMPLE, status: 'queued' }] },
)

export const CancelledBatch = Type.Object(
  { ...batch, success: Type.Literal(true) },
  {
    title: 'CancelledBatch',
    examples: [{ ...EXAMPLE, status: 'cancelled', success: true }],
  },
)

const ids = Type.Array(Type.String({ maxLength: 36 }), { maxItems: 100 })
const MOST_CONTACTS = 10_000
const MOST_CONTENT = 4_000_000
const MOST_PER_SECOND = 10_000

export const BatchInput = strict(
  {
    channel: Type.Optional(oneOfSoon(CHANNELS, ['sms'])),
    name: Type.Optional(line(200)),
    audienceType: oneOf(AUDIENCE_TYPES),
    topicId: Type.Optional(
      Type.String({
        maxLength: 36,
        description:
          'Of the audience only its subscribers are mailed, and the unsubscribe link leaves it.',
      }),
    ),
    segmentId: Type.Optional(
      Type.String({
        maxLength: 36,
        description: 'Its members when the audience is frozen are mailed. On paid plans.',
      }),
    ),
    contactIds: Type.Optional(
      Type.Array(Type.String({ maxLength: 36 }), { minItems: 1, maxItems: MOST_CONTACTS }),
    ),
    exclude: Type.Optional(
      notYet(strict({ topicIds: Type.Optional(ids), segmentIds: Type.Optional(ids) })),
    ),
    subject: Type.Optional(line(998)),
    previewText: Type.Optional(line(500)),
    from: From(),
    fromName: Type.Optional(FromName(LONGEST_NAME)),
    replyTo: Type.Optional(Address()),
    templateId: Type.Optional(Type.String({ maxLength: 36 })),
    htmlContent: Type.Optional(Type.String({ minLength: 1, maxLength: MOST_CONTENT })),
    textContent: Type.Optional(Type.String({ maxLength: MOST_CONTENT })),
    variableMappings: Type.Optional(Type.Array(VariableMapping, { maxItems: 200 })),
    scheduledFor: Type.Optional(Time),
    timezoneAware: Type.Optional(notYet(Type.Boolean())),
    timezone: Type.Optional(notYet(Type.String({ maxLength: 100 }))),
    ...accountNames,
    throttlePerSecond: Type.Optional(
      notYet(Type.Integer({ minimum: 1, maximum: MOST_PER_SECOND })),
    ),
    unknownOutcome: Type.Optional(oneOf(['fail', 'retry'])),
    body: Type.Optional(Type.Unknown({ description: 'Ignored.' })),
    senderId: Type.Optional(Type.Unknown({ description: 'Ignored.' })),
    totalRecipients: Type.Optional(Type.Unknown({ description: 'Ignored.' })),
  },
  {
    title: 'BatchInput',
    description: 'Content is either `templateId` or `htmlContent`.',
    examples: [
      {
        audienceType: 'all',
        from: 'news@example.com',
        subject: 'Hello {{ contact.firstName | default: "there" }}',
        htmlContent: '<p>Our news of the week.</p>',
      },
    ],
  },
)
export type BatchInput = Static<typeof BatchInput>

export const BatchListQuery = strict({
  page: Page,
  pageSize: limit(20, 100),
  status: Type.Optional(oneOf(BATCH_STATUSES)),
  channel: Type.Optional(oneOf(CHANNELS)),
  search: Type.Optional(Type.String({ maxLength: 255, description: 'Part of a name or subject.' })),
})
export type BatchListQuery = Static<typeof BatchListQuery>

export const BatchList = Type.Object(
  {
    data: Type.Array(BatchSummary),
    page: Type.Integer({ minimum: 1 }),
    pageSize: Type.Integer({ minimum: 1 }),
    total: Count,
    totalPages: Count,
  },
  {
    title: 'BatchList',
    examples: [{ data: [EXAMPLE_SUMMARY], page: 1, pageSize: 20, total: 1, totalPages: 1 }],
  },
)

export const Recipient = Type.Object(
  {
    id: Id,
    contactId: nullable(Id),
    email: nullable(Type.String()),
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
})

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
