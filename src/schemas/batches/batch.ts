import { type Static, Type } from 'typebox'
import { AUDIENCE_TYPES } from '../../domain/audience/audience.ts'
import { BATCH_STATUSES } from '../../domain/batches/batch.ts'
import { WAIT_REASONS } from '../../domain/batches/progress.ts'
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
  nullable,
  oneOf,
  oneOfSoon,
  Page,
  strict,
  TIME,
  Time,
  warnings,
} from '../common.ts'
import { CHANNELS } from '../../domain/channel.ts'
import { WORD_LIST } from '../patterns.ts'
import { AbTest, AbTestInput } from './ab-test.ts'

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
  opened: { ...Count, description: 'By anything, known bots too.' },
  clicked: { ...Count, description: 'By anything, known bots too; not of links of ours.' },
  bounced: Count,
  complained: Count,
  suppressed: Count,
  unsubscribed: Count,
}

/** Fields in lists. Contents are left out: each may have megabytes. */
const summary = {
  id: Id,
  status: oneOf(BATCH_STATUSES),
  channel: oneOf(CHANNELS),
  name: nullable(Type.String()),
  ...counters,
  startedAt: nullable(Time),
  completedAt: nullable(Time),
  createdAt: Time,
  updatedAt: Time,
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
  timezoneAware: Type.Boolean(),
  timezone: nullable(Type.String({ description: 'Only of a batch that is `timezoneAware`.' })),
  throttlePerSecond: nullable(Type.Integer()),
  cloudAccountId: Id,
  templateId: nullable(Id),
  topicId: nullable({ ...Id, description: 'Only its subscribers are mailed.' }),
  segmentId: nullable({ ...Id, description: 'Of audience type `segment`.' }),
  exclude: Type.Object(
    { topicIds: Type.Array(Id), segmentIds: Type.Array(Id) },
    { description: 'Who is in one of them when the audience is frozen is left out.' },
  ),
  paused: Type.Boolean({ description: 'Nothing is sent until it is resumed.' }),
  pausedReason: nullable(
    Type.String({ description: '`requested`, `duplicated` (not resumed yet).' }),
  ),
  failedReason: nullable(
    Type.String({
      description:
        'Why it failed, one of an open set: `sender_rejected` (the provider refuses the sender), `render_timeout` (its mails take too long to make), `not_verified`, `disconnected`, `account_suspended`, `sending_paused`, `stopped_by_operator`, `segment_not_usable`, `segment_too_slow`, `topic_deleted`, `restored` (the server was restored from a backup, and it is not known who was mailed since) … A failed batch can be resumed or discarded; one that was discarded keeps it.',
    }),
  ),
  duplicates: Type.Integer({
    minimum: 0,
    description: 'Mails that the provider accepted a second time.',
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
  waitingForQuota: nullable(
    Type.Object(
      { until: Time },
      {
        description:
          'Nothing is sent at the moment because the account’s 24-hour quota is used up, but for the part that is kept for single mail. `until` is when it is tried again.',
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

const BatchProgress = Type.Object(
  {
    ratePerSecond: Type.Number({
      minimum: 0,
      description: 'Mails a second that the provider accepted in the last minute.',
    }),
    expectedEnd: nullable({
      ...Time,
      description:
        'When all mails are sent at this rate. Null while nothing is sent, or it waits for something without a known end.',
    }),
    waitingFor: nullable(
      Type.Object(
        {
          reason: oneOf(WAIT_REASONS),
          until: nullable({ ...Time, description: 'When that is over, if it is known.' }),
        },
        {
          description:
            'Why it is not sent faster: `pause` (somebody paused it), `quota` (the account’s 24-hour quota is used up), `provider` (the provider cannot be reached, or has stopped the account for now), `time` (the local time of further contacts), `winner` (of an A/B test), `doubt` (only mails whose outcome is unknown are left), `throttled` (the provider answers that we are too fast; we go slower), `rate` (the rate of the account, or `throttlePerSecond`). Null: nothing.',
        },
      ),
    ),
  },
  { description: 'How it comes on. Null unless the batch is `processing`.' },
)

/** Fields of a whole batch, contents included. */
const batch = {
  ...summary,
  htmlContent: Type.String({
    description: 'As it is sent; with `templateId` that of the version that the batch keeps.',
  }),
  textContent: Type.String({ description: 'As it is sent: made of the HTML if none was given.' }),
  variableMappings: Type.Array(VariableMapping),
  abTest: nullable(AbTest),
  progress: nullable(BatchProgress),
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
  updatedAt: TIME,
  audience: { type: 'all', contactCount: null },
  audienceFrozenAt: TIME,
  from: 'news@example.com',
  fromName: 'Example News',
  replyTo: null,
  subject: 'Hello {{ contact.firstName | default: "there" }}',
  previewText: null,
  scheduledFor: null,
  timezoneAware: false,
  timezone: null,
  throttlePerSecond: null,
  cloudAccountId: ID,
  templateId: null,
  topicId: null,
  segmentId: null,
  exclude: { topicIds: [], segmentIds: [] },
  paused: false,
  pausedReason: null,
  failedReason: null,
  duplicates: 0,
  waitingForOutcome: null,
  waitingForQuota: null,
}

const EXAMPLE = {
  ...EXAMPLE_SUMMARY,
  htmlContent: '<p>Our news of the week.</p>',
  textContent: 'Our news of the week.',
  variableMappings: [],
  abTest: null,
  progress: {
    ratePerSecond: 13.9,
    expectedEnd: TIME,
    waitingFor: { reason: 'rate', until: null },
  },
}

export const BatchSummary = Type.Object(summary, {
  title: 'BatchSummary',
  description:
    'A batch without `htmlContent`, `textContent`, `variableMappings`, `abTest` and `progress`.',
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
  { title: 'CreatedBatch', examples: [{ ...EXAMPLE, status: 'queued', progress: null }] },
)

export const CancelledBatch = Type.Object(
  { ...batch, success: Type.Literal(true) },
  {
    title: 'CancelledBatch',
    examples: [{ ...EXAMPLE, status: 'cancelled', progress: null, success: true }],
  },
)

const MOST_EXCLUDED_TOPICS = 100
/** Each is a query of its own within the one that freezes the audience. */
const MOST_EXCLUDED_SEGMENTS = 20
const ids = (maxItems: number) => Type.Array(Type.String({ maxLength: 36 }), { maxItems })
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
      strict(
        {
          topicIds: Type.Optional(ids(MOST_EXCLUDED_TOPICS)),
          segmentIds: Type.Optional(ids(MOST_EXCLUDED_SEGMENTS)),
        },
        {
          description:
            'Who subscribes to one of the topics or is in one of the segments when the audience is frozen is left out. Segments are on paid plans.',
        },
      ),
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
    abTest: Type.Optional(AbTestInput),
    scheduledFor: Type.Optional(Time),
    timezoneAware: Type.Optional(
      Type.Boolean({
        description:
          'Each contact is mailed when it is that time of `scheduledFor` in the zone of its `properties.timezone`.',
      }),
    ),
    timezone: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'With `timezoneAware`: the zone in which `scheduledFor` is read, and that of contacts without one. `UTC` if absent.',
        examples: ['Europe/Berlin'],
      }),
    ),
    ...accountNames,
    throttlePerSecond: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_PER_SECOND,
        description: 'Mails a second at most, when the account may send faster.',
      }),
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
  cursor: Cursor,
  status: Type.Optional(
    Type.String({
      pattern: WORD_LIST,
      maxLength: 100,
      description: `One or several, comma-separated: ${BATCH_STATUSES.join(', ')}.`,
      examples: ['queued,processing'],
    }),
  ),
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
    nextCursor: NextCursor,
  },
  {
    title: 'BatchList',
    examples: [
      {
        data: [EXAMPLE_SUMMARY],
        page: 1,
        pageSize: 20,
        total: 1,
        totalPages: 1,
        nextCursor: null,
      },
    ],
  },
)
