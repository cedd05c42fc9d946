import { type Static, Type } from 'typebox'
import { CONTACT_FIELDS, eachLine } from '../../domain/contacts/contact-fields.ts'
import { MOST_PROPERTIES } from '../../domain/contacts/properties.ts'
import { SUBSCRIPTION_STATUSES } from '../../domain/consent/subscription.ts'
import {
  Address,
  type Cleaned,
  CLEANED_KEYWORD,
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
  rowsOf,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { rowErrors } from '../error.ts'
import { EXTERNAL_ID } from '../patterns.ts'

const MOST_CONTACTS_A_REQUEST = 1_000
const MOST_TOPICS_A_REQUEST = 1_000

export const EmailStatus = oneOf(CONTACT_FIELDS.emailStatus.words)
export const SmsStatus = oneOf(CONTACT_FIELDS.smsStatus.words)
export const Channel = oneOf(CONTACT_FIELDS.preferredChannel.words)

const EXAMPLE = {
  id: ID,
  externalId: 'user-42',
  email: 'ada@example.com',
  phone: null,
  ...eachLine(() => null),
  firstName: 'Ada',
  lastName: 'Lovelace',
  emailStatus: 'active',
  smsStatus: null,
  preferredChannel: 'email',
  properties: { plan: 'pro' },
  emailsSent: 12,
  emailsOpened: 9,
  emailsClicked: 3,
  smsSent: 0,
  smsClicked: 0,
  emailVerifiedAt: TIME,
  emailUnsubscribedAt: null,
  emailBouncedAt: null,
  emailComplainedAt: null,
  emailSuppressedAt: null,
  smsConsentedAt: null,
  smsOptedOutAt: null,
  lastActivityAt: TIME,
  lastEmailSentAt: TIME,
  lastEmailOpenedAt: TIME,
  lastEmailClickedAt: null,
  createdAt: TIME,
  updatedAt: TIME,
}

const ContactTopic = Type.Object(
  {
    topicId: Id,
    topicSlug: Type.String(),
    topicName: Type.String(),
    status: oneOf(SUBSCRIPTION_STATUSES),
    subscribedAt: nullable(Time),
  },
  { title: 'ContactTopic' },
)

export const Contact = Type.Object(
  {
    id: Id,
    externalId: nullable(Type.String()),
    email: nullable(Type.String({ examples: ['ada@example.com'] })),
    phone: nullable(Type.String({ examples: ['+4915112345678'] })),
    ...eachLine(() => nullable(Type.String())),
    emailStatus: nullable(EmailStatus),
    smsStatus: nullable(SmsStatus),
    preferredChannel: nullable(Channel),
    properties: Type.Record(Type.String(), Type.Unknown()),
    emailsSent: Count,
    emailsOpened: {
      ...Count,
      description:
        'Mails opened by people. Known bots are not counted. A click counts as an open, too.',
    },
    emailsClicked: {
      ...Count,
      description: 'Mails clicked by people. Links to our own pages are not counted.',
    },
    smsSent: Count,
    smsClicked: Count,
    emailVerifiedAt: nullable(Time),
    emailUnsubscribedAt: nullable(Time),
    emailBouncedAt: nullable(Time),
    emailComplainedAt: nullable(Time),
    emailSuppressedAt: nullable(Time),
    smsConsentedAt: nullable(Time),
    smsOptedOutAt: nullable(Time),
    lastActivityAt: nullable(Time),
    lastEmailSentAt: nullable(Time),
    lastEmailOpenedAt: nullable(Time),
    lastEmailClickedAt: nullable(Time),
    createdAt: Time,
    updatedAt: Time,
    topics: Type.Optional(
      Type.Array(ContactTopic, { description: 'Returned for a single contact, not in lists.' }),
    ),
    pendingTopics: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Returned after a write: topics whose subscription awaits confirmation.',
      }),
    ),
    emailStatusKept: Type.Optional(
      Type.Boolean({
        description:
          '`true` if the requested status was refused, because the person unsubscribed or the address is suppressed. The contact keeps its status.',
      }),
    ),
    smsStatusKept: Type.Optional(
      Type.Boolean({
        description:
          '`true` if the requested status was refused, because the number opted out or is invalid. The contact keeps its status.',
      }),
    ),
  },
  { title: 'Contact', examples: [EXAMPLE] },
)
export type Contact = Static<typeof Contact>

const ExternalId = Type.String({
  minLength: 1,
  maxLength: CONTACT_FIELDS.externalId.most,
  pattern: EXTERNAL_ID,
  [CLEANED_KEYWORD]: 'word' satisfies Cleaned,
})

/** Texts of one line. A blank one clears its field. */
export const lines = eachLine((field) =>
  Type.String({
    maxLength: CONTACT_FIELDS[field].most,
    [CLEANED_KEYWORD]: 'line' satisfies Cleaned,
  }),
)

export const fields = {
  externalId: ExternalId,
  email: Address({ examples: ['ada@example.com'] }),
  phone: Type.String({ maxLength: CONTACT_FIELDS.phone.most, examples: ['+49 151 12345678'] }),
  ...lines,
  properties: Type.Record(Type.String(), Type.Unknown(), {
    maxProperties: MOST_PROPERTIES,
    description:
      'At most 32,768 characters as JSON, nested at most 8 levels deep. A null value removes the key.',
  }),
}

export const wishes = {
  topicIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 36 }), { maxItems: MOST_TOPICS_A_REQUEST }),
  ),
  topicSlugs: Type.Optional(Type.Array(line(100), { maxItems: MOST_TOPICS_A_REQUEST })),
  resubscribe: Type.Optional(
    Type.Boolean({
      description:
        'Set to `true` if the person asked to receive messages again. `active` then resubscribes a contact who unsubscribed and removes the address from the suppression list. Contacts who complained or were suppressed can be resubscribed with the scope `full` only. The same holds for `smsStatus`: `opted_in` or `pending_consent` then ends `invalid`, and with the scope `full` also `opted_out`.',
    }),
  ),
}

export const ContactInput = strict(
  {
    externalId: Type.Optional(fields.externalId),
    email: Type.Optional(fields.email),
    phone: Type.Optional(fields.phone),
    ...eachLine((field) => Type.Optional(lines[field])),
    emailStatus: Type.Optional(EmailStatus),
    smsStatus: Type.Optional(SmsStatus),
    preferredChannel: Type.Optional(Channel),
    properties: Type.Optional(fields.properties),
    ...wishes,
  },
  {
    title: 'ContactInput',
    description: '`email` or `phone` is required.',
    examples: [{ email: 'ada@example.com', firstName: 'Ada', properties: { plan: 'pro' } }],
  },
)
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
    Type.String({
      maxLength: 255,
      description:
        'Part of an email address or a phone number. One or two letters match the beginning of the address, its domain or the number.',
    }),
  ),
  topicId: Type.Optional({
    ...Id,
    description: 'Returns only contacts that are subscribed to this topic.',
  }),
  segmentId: Type.Optional({
    ...Id,
    description: 'Returns only contacts in this segment. Requires a paid plan.',
  }),
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
    totalIsExact: Type.Boolean({
      description: '`false` if there are more than 10,000 contacts, up to which they are counted.',
    }),
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
    contacts: rowsOf(ContactInput, { maxItems: MOST_CONTACTS_A_REQUEST }),
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
      Type.Boolean({
        description:
          '`true` if `active` was requested, but the contact keeps its status, because the person unsubscribed.',
      }),
    ),
    smsStatusKept: Type.Optional(
      Type.Boolean({
        description:
          '`true` if the requested status was refused, because the number opted out or is invalid. The contact keeps its status.',
      }),
    ),
    error: Type.Optional(Type.String()),
  },
  { title: 'ContactBatchRow' },
)
export type ContactBatchRow = Static<typeof ContactBatchRow>

const NOT_AN_ADDRESS = 'contacts[1].email must be an email address'

export const ContactBatchResult = Type.Object(
  {
    success: Type.Boolean({ description: '`true` if every row was stored.' }),
    created: Count,
    updated: Count,
    failed: Count,
    results: Type.Array(ContactBatchRow),
    ...rowErrors,
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
          { index: 1, id: null, status: 'failed', error: NOT_AN_ADDRESS },
        ],
        errors: [NOT_AN_ADDRESS],
        errorDetails: [
          {
            index: 1,
            code: 'VALIDATION_FAILED',
            reason: 'validation_failed',
            message: NOT_AN_ADDRESS,
            details: [{ path: 'contacts[1].email', message: 'must be an email address' }],
          },
        ],
      },
    ],
  },
)
