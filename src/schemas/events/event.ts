import { type Static, Type } from 'typebox'
import { fields } from '../contacts/contact.ts'
import {
  type Cleaned,
  CLEANED_KEYWORD,
  Count,
  Cursor,
  ID,
  Id,
  limit,
  line,
  NextCursor,
  rowsOf,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { ApiError, rowErrors } from '../error.ts'

const MOST_EVENTS_A_REQUEST = 1_000
const LONGEST_EVENT_NAME = 255
const LONGEST_EVENT_ID = 255
const LONGEST_CONTACT_NAME = 201

export const EventInput = strict(
  {
    name: line(LONGEST_EVENT_NAME, {
      description: 'Name of the event: `order_placed`.',
      [CLEANED_KEYWORD]: 'nfc' satisfies Cleaned,
    }),
    contactId: Type.Optional({ ...Id, description: 'Contact of the event, by its id.' }),
    contactExternalId: Type.Optional({
      ...fields.externalId,
      description: 'Contact of the event, by your external id.',
    }),
    contactEmail: Type.Optional({
      ...fields.email,
      description: 'Contact of the event, by its email address.',
    }),
    createIfMissing: Type.Optional(
      Type.Boolean({
        description:
          'Set to `true` to create a missing contact with `contactEmail`, `contactExternalId` and `contactName`. A contact who unsubscribed stays unsubscribed: the suppression list decides the status.',
      }),
    ),
    contactName: Type.Optional(
      line(LONGEST_CONTACT_NAME, {
        description: 'Name of a created contact. The first word is the first name.',
      }),
    ),
    properties: Type.Optional(fields.properties),
    occurredAt: Type.Optional({
      ...Time,
      description:
        'When the event occurred, at most 5 minutes ahead. Defaults to now. Events older than 72 hours are stored, but start and resume nothing. Events from before an execution began neither resume nor end it.',
    }),
    eventId: Type.Optional(
      line(LONGEST_EVENT_ID, {
        description:
          'Your own id of the event. A repeated id with the same `name` and contact within 7 days is accepted and ignored, and creates no contact.',
      }),
    ),
  },
  {
    title: 'EventInput',
    description:
      'One of `contactId`, `contactExternalId` and `contactEmail` is required. They are tried in this order. An address never matches a contact with another external id. A contact without an external id or an address gets the one in the event, unless another contact has it.',
    examples: [
      {
        name: 'order_placed',
        contactEmail: 'ada@example.com',
        properties: { total: 49.9, currency: 'EUR' },
        eventId: 'order-1042',
      },
    ],
  },
)
export type EventInput = Static<typeof EventInput>

export type EventAccepted = Static<typeof EventAccepted>
export const EventAccepted = Type.Object(
  {
    success: Type.Literal(true),
    eventId: Type.String({ description: 'Your event id, or one that was generated.' }),
    duplicate: Type.Boolean({
      description: '`true` if the event was received before. Nothing was done.',
    }),
    contactCreated: Type.Boolean(),
    workflowsTriggered: { ...Count, description: 'Executions started by the event.' },
    executionsResumed: { ...Count, description: 'Executions that waited for the event.' },
  },
  {
    title: 'EventAccepted',
    examples: [
      {
        success: true,
        eventId: 'order-1042',
        duplicate: false,
        contactCreated: false,
        workflowsTriggered: 1,
        executionsResumed: 0,
      },
    ],
  },
)

export const EventBatchInput = strict(
  { events: rowsOf(EventInput, { maxItems: MOST_EVENTS_A_REQUEST }) },
  {
    title: 'EventBatchInput',
    examples: [{ events: [{ name: 'order_placed', contactEmail: 'ada@example.com' }] }],
  },
)

export const EventBatchResult = Type.Object(
  {
    success: Type.Boolean({ description: '`true` if no event failed.' }),
    processed: { ...Count, description: 'Stored events.' },
    duplicates: { ...Count, description: 'Events that were received before.' },
    workflowsTriggered: Count,
    executionsResumed: Count,
    ...rowErrors,
  },
  {
    title: 'EventBatchResult',
    examples: [
      {
        success: false,
        processed: 1,
        duplicates: 0,
        workflowsTriggered: 0,
        executionsResumed: 0,
        errors: ['events[1]: Contact not found'],
        errorDetails: [
          {
            index: 1,
            code: 'NOT_FOUND',
            reason: 'contact_not_found',
            message: 'Contact not found',
          },
        ],
      },
    ],
  },
)

const QUOTA_REFUSAL = {
  error: 'event_limit_exceeded',
  code: 'RATE_LIMITED',
  message: 'The monthly event limit is used up; it is reset on 2026-12-01',
  current: 62_500,
  limit: 50_000,
  requested: 1,
  percentUsed: 125,
  resetsAt: '2026-12-01T00:00:00.000Z',
  requestId: ID,
}

/** Body of the monthly quota's 429. The rate limit has the usual one. */
export const EventLimitExceeded = Type.Object(
  {
    ...ApiError.properties,
    error: Type.String({
      description: '`event_limit_exceeded`, or the message of the rate limit.',
    }),
    message: Type.Optional(Type.String()),
    current: Type.Optional({ ...Count, description: 'Events accepted this month.' }),
    limit: Type.Optional({
      ...Count,
      description: 'Monthly limit of events. 25 % more are accepted.',
    }),
    requested: Type.Optional({
      ...Count,
      description: 'Events of this request, without duplicates and failures.',
    }),
    percentUsed: Type.Optional(Count),
    resetsAt: Type.Optional(Time),
  },
  { title: 'EventLimitExceeded', examples: [QUOTA_REFUSAL] },
)

export const EventNameList = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          firstReceivedAt: Time,
          lastReceivedAt: { ...Time, description: 'Time of the last event, to the hour.' },
        },
        { title: 'EventName' },
      ),
    ),
    nextCursor: NextCursor,
  },
  {
    title: 'EventNameList',
    examples: [
      {
        data: [{ name: 'order_placed', firstReceivedAt: TIME, lastReceivedAt: TIME }],
        nextCursor: null,
      },
    ],
  },
)

export const EventNameQuery = strict({ limit: limit(20, 100), cursor: Cursor })
