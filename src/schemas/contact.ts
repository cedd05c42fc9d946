import { type Static, Type } from 'typebox'
import { EMAIL_STATUSES } from '../domain/status.ts'
import {
  Address,
  Count,
  Cursor,
  ID,
  Id,
  limit,
  line,
  NextCursor,
  nullable,
  oneOf,
  Page,
  strict,
  TIME,
  Time,
} from './common.ts'

const SMS_STATUSES = ['pending_consent', 'opted_in', 'opted_out', 'invalid'] as const
export const CHANNELS = ['email', 'sms'] as const

const MOST_CONTACTS_A_REQUEST = 1_000

const EmailStatus = oneOf(EMAIL_STATUSES)
const SmsStatus = oneOf(SMS_STATUSES)
const Channel = oneOf(CHANNELS)

const EXAMPLE = {
  id: ID,
  externalId: 'user-42',
  email: 'ada@example.com',
  phone: null,
  firstName: 'Ada',
  lastName: 'Lovelace',
  company: null,
  jobTitle: null,
  emailStatus: 'active',
  smsStatus: null,
  preferredChannel: 'email',
  properties: { plan: 'pro' },
  emailsSent: 12,
  emailsOpened: 9,
  emailsClicked: 3,
  smsSent: 0,
  smsClicked: 0,
  createdAt: TIME,
  updatedAt: TIME,
}

export const Contact = Type.Object(
  {
    id: Id,
    externalId: nullable(Type.String()),
    email: nullable(Type.String({ examples: ['ada@example.com'] })),
    phone: nullable(Type.String({ examples: ['+4915112345678'] })),
    firstName: nullable(Type.String()),
    lastName: nullable(Type.String()),
    company: nullable(Type.String()),
    jobTitle: nullable(Type.String()),
    emailStatus: nullable(EmailStatus),
    smsStatus: nullable(SmsStatus),
    preferredChannel: nullable(Channel),
    properties: Type.Record(Type.String(), Type.Unknown()),
    emailsSent: Count,
    emailsOpened: Count,
    emailsClicked: Count,
    smsSent: Count,
    smsClicked: Count,
    createdAt: Time,
    updatedAt: Time,
    pendingTopics: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Only when created: topics whose subscription awaits confirmation.',
      }),
    ),
  },
  { title: 'Contact', examples: [EXAMPLE] },
)
export type Contact = Static<typeof Contact>

/** No `@` and no `/`, so that one path parameter tells an external id from an address. */
const ExternalId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^@/\\u0000-\\u001f\\u007f]+$',
})

const fields = {
  externalId: Type.Optional(ExternalId),
  email: Type.Optional(Address({ examples: ['ada@example.com'] })),
  phone: Type.Optional(Type.String({ maxLength: 50, examples: ['+49 151 12345678'] })),
  firstName: Type.Optional(Type.String({ maxLength: 100 })),
  lastName: Type.Optional(Type.String({ maxLength: 100 })),
  company: Type.Optional(Type.String({ maxLength: 200 })),
  jobTitle: Type.Optional(Type.String({ maxLength: 200 })),
  emailStatus: Type.Optional(EmailStatus),
  smsStatus: Type.Optional(SmsStatus),
  preferredChannel: Type.Optional(Channel),
  properties: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  topicIds: Type.Optional(Type.Array(Type.String({ maxLength: 36 }), { maxItems: 1_000 })),
  topicSlugs: Type.Optional(Type.Array(line(100), { maxItems: 1_000 })),
}

export const ContactInput = strict(fields, {
  title: 'ContactInput',
  description: 'One of `email` or `phone` is needed.',
  examples: [{ email: 'ada@example.com', firstName: 'Ada', properties: { plan: 'pro' } }],
})
export type ContactInput = Static<typeof ContactInput>

export const ContactQuery = strict({
  by: Type.Optional(
    oneOf(['id', 'email', 'externalId'], { description: 'Forces how `id` is read.' }),
  ),
})
export type ContactQuery = Static<typeof ContactQuery>

export const ContactListQuery = strict({
  page: Page,
  pageSize: limit(50, 100),
  cursor: Cursor,
  emailStatus: Type.Optional(EmailStatus),
  smsStatus: Type.Optional(SmsStatus),
  preferredChannel: Type.Optional(Channel),
  search: Type.Optional(
    Type.String({ maxLength: 255, description: 'Part of an email address or a phone number.' }),
  ),
  createdAfter: Type.Optional(Time),
  updatedAfter: Type.Optional(Time),
})
export type ContactListQuery = Static<typeof ContactListQuery>

export const ContactList = Type.Object(
  {
    contacts: Type.Array(Contact),
    total: Count,
    page: Type.Integer({ minimum: 1 }),
    pageSize: Type.Integer({ minimum: 1 }),
    totalPages: Count,
    totalIsExact: Type.Boolean({ description: 'Totals are exact to 10,000.' }),
    nextCursor: NextCursor,
  },
  {
    title: 'ContactList',
    examples: [
      {
        contacts: [EXAMPLE],
        total: 1,
        page: 1,
        pageSize: 50,
        totalPages: 1,
        totalIsExact: true,
        nextCursor: null,
      },
    ],
  },
)

export const ContactBatchInput = strict(
  {
    contacts: Type.Array(ContactInput, { minItems: 1, maxItems: MOST_CONTACTS_A_REQUEST }),
  },
  {
    title: 'ContactBatchInput',
    examples: [{ contacts: [{ email: 'ada@example.com', firstName: 'Ada' }] }],
  },
)

export const ContactBatchRow = Type.Object(
  {
    index: Count,
    id: nullable(Id),
    status: oneOf(['created', 'updated', 'failed']),
    emailStatusKept: Type.Optional(
      Type.Boolean({ description: '`active` was asked for, but the person has left: kept.' }),
    ),
    error: Type.Optional(Type.String()),
  },
  { title: 'ContactBatchRow' },
)
export type ContactBatchRow = Static<typeof ContactBatchRow>

export const ContactBatchResult = Type.Object(
  {
    success: Type.Boolean({ description: 'Whether every row was kept.' }),
    created: Count,
    updated: Count,
    failed: Count,
    results: Type.Array(ContactBatchRow),
  },
  {
    title: 'ContactBatchResult',
    examples: [
      {
        success: false,
        created: 1,
        updated: 0,
        failed: 1,
        results: [
          { index: 0, id: ID, status: 'created' },
          { index: 1, id: null, status: 'failed', error: 'email or phone is needed' },
        ],
      },
    ],
  },
)
