import { type Static, Type } from 'typebox'
import { eachLine } from '../../domain/contacts/contact-fields.ts'
import { Channel, EmailStatus, fields, lines, SmsStatus, wishes } from './contact.ts'
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

const MOST_CONTACTS_DELETED = 1_000

const ignored = Type.Optional(
  Type.Unknown({ readOnly: true, description: 'Accepted and ignored.' }),
)

/** Read-only fields are accepted and ignored, so that a client can send back what it read. */
const readOnly = {
  id: ignored,
  emailsSent: ignored,
  emailsOpened: ignored,
  emailsClicked: ignored,
  smsSent: ignored,
  smsClicked: ignored,
  emailVerifiedAt: ignored,
  emailUnsubscribedAt: ignored,
  emailBouncedAt: ignored,
  emailComplainedAt: ignored,
  emailSuppressedAt: ignored,
  smsConsentedAt: ignored,
  smsOptedOutAt: ignored,
  lastActivityAt: ignored,
  lastEmailSentAt: ignored,
  lastEmailOpenedAt: ignored,
  lastEmailClickedAt: ignored,
  createdAt: ignored,
  updatedAt: ignored,
  topics: ignored,
  pendingTopics: ignored,
  emailStatusKept: ignored,
  smsStatusKept: ignored,
}

const writable = {
  externalId: Type.Optional(nullable(fields.externalId)),
  email: Type.Optional(nullable(fields.email)),
  phone: Type.Optional(nullable(fields.phone)),
  ...eachLine((field) => Type.Optional(nullable(lines[field]))),
  emailStatus: Type.Optional(nullable(EmailStatus)),
  smsStatus: Type.Optional(nullable(SmsStatus)),
  preferredChannel: Type.Optional(nullable(Channel)),
  properties: Type.Optional(nullable(fields.properties)),
  ...wishes,
  ...readOnly,
}

export const ContactPatch = strict(writable, {
  title: 'ContactPatch',
  description:
    'Only the fields that are sent change. Send null to clear a field. `properties` are merged, and a null value removes a key. Topics are added. A null status is ignored.',
  examples: [{ firstName: 'Ada', properties: { plan: 'pro', trial: null } }],
})
export type ContactPatch = Static<typeof ContactPatch>

export const ContactReplacement = strict(writable, {
  title: 'ContactReplacement',
  description:
    'Fields that are not sent are cleared, but statuses stay. With `topicIds` or `topicSlugs`, the topics of the contact are replaced.',
  examples: [{ email: 'ada@example.com', firstName: 'Ada', properties: { plan: 'pro' } }],
})
export type ContactReplacement = Static<typeof ContactReplacement>

export const ContactTopicsInput = strict(wishes, {
  title: 'ContactTopicsInput',
  description: 'All topics of the contact. `topicIds` or `topicSlugs` is required.',
  examples: [{ topicSlugs: ['product-news'] }],
})

export const ContactsDeletion = strict(
  { ids: Type.Array(Id, { minItems: 1, maxItems: MOST_CONTACTS_DELETED }) },
  { title: 'ContactsDeletion', examples: [{ ids: [ID] }] },
)

export const ContactsDeleted = Type.Object(
  { success: Type.Literal(true), deleted: Count },
  { title: 'ContactsDeleted', examples: [{ success: true, deleted: 1 }] },
)

const TIMELINE_NAMES = [
  'topic_subscribed',
  'topic_unsubscribed',
  'topic_confirmation_requested',
  'topic_confirmation_expired',
  'resubscribed',
  'unsubscribed',
  'bounced',
  'suppressed',
  'complained',
  'sms_opted_in',
  'sms_opted_out',
] as const

const ContactEvent = Type.Object(
  {
    id: Id,
    type: oneOf(['consent', 'custom'], {
      description: '`custom`: an event that your programs sent to `POST /v1/events`.',
    }),
    name: Type.String({
      description: `Name of the event. Custom events can have any name. Other events: ${TIMELINE_NAMES.join(', ')}.`,
    }),
    properties: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'For a consent event: `topicId`, `topicSlug` (null if the topic was deleted), and `source`, the cause: `api`, `link`, `confirmation` …',
    }),
    occurredAt: Time,
  },
  { title: 'ContactEvent' },
)
export type ContactEvent = Static<typeof ContactEvent>
export type TimelineName = (typeof TIMELINE_NAMES)[number]

export const ContactEventList = Type.Object(
  { data: Type.Array(ContactEvent), nextCursor: NextCursor },
  {
    title: 'ContactEventList',
    examples: [
      {
        data: [
          {
            id: ID,
            type: 'consent',
            name: 'topic_subscribed',
            properties: { topicId: ID, topicSlug: 'product-news', source: 'api' },
            occurredAt: TIME,
          },
        ],
        nextCursor: null,
      },
    ],
  },
)

export const ContactEventQuery = strict({
  by: Type.Optional(
    oneOf(['id', 'email', 'externalId'], { description: 'Forces how `id` is read.' }),
  ),
  limit: limit(20, 100),
  cursor: Cursor,
})
