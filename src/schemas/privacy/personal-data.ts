import { type Static, Type } from 'typebox'
import { Count, ID, Id, nullable, oneOf, TIME, Time } from '../common.ts'

const EXAMPLE = {
  id: ID,
  contactId: ID,
  status: 'running',
  mails: 0,
  requestedAt: TIME,
  completedAt: null,
}

export const Erasure = Type.Object(
  {
    id: Id,
    contactId: Id,
    status: oneOf(['running', 'completed'], {
      description:
        'The contact is deleted as soon as the erasure is accepted. The status is `completed` when all other data is erased.',
    }),
    mails: { ...Count, description: 'Number of emptied email logs so far.' },
    requestedAt: Time,
    completedAt: nullable(Time),
  },
  { title: 'Erasure', examples: [EXAMPLE] },
)
export type Erasure = Static<typeof Erasure>

const Fields = Type.Record(Type.String(), Type.Unknown())
const List = Type.Array(Fields)

export const ContactExport = Type.Object(
  {
    contact: { ...Fields, description: 'All stored fields of the contact.' },
    stats: nullable(Fields),
    topics: List,
    consentEvents: { ...List, description: 'Changes of consent, with their times and sources.' },
    suppression: nullable({ ...Fields, description: 'Entry of the suppression list.' }),
    phoneConsent: nullable({
      ...Fields,
      description: 'What is known of the number: opt-outs of text messages and their end.',
    }),
    mails: { ...List, description: 'Email logs with their timelines and stored bodies.' },
    events: { ...List, description: 'Custom events of the contact.' },
    executions: { ...List, description: 'Executions of workflows with their steps.' },
    importErrors: { ...List, description: 'Rows refused by imports that mention the contact.' },
    auditEvents: List,
  },
  {
    title: 'ContactExport',
    examples: [
      {
        contact: { id: ID, email: 'ada@example.com', firstName: 'Ada' },
        stats: { emailsSent: 12 },
        topics: [{ topicId: ID, status: 'subscribed', subscribedAt: TIME }],
        consentEvents: [{ kind: 'subscribed', topicId: ID, source: 'api', createdAt: TIME }],
        suppression: null,
        phoneConsent: null,
        mails: [{ id: ID, status: 'delivered', recipient: 'ada@example.com', events: [] }],
        events: [{ name: 'order_placed', properties: { total: 42 }, occurredAt: TIME }],
        executions: [{ id: ID, workflowName: 'Welcome', status: 'completed', steps: [] }],
        importErrors: [],
        auditEvents: [{ action: 'contact.exported', createdAt: TIME }],
      },
    ],
  },
)
