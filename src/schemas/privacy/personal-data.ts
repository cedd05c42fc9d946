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
      description: 'The contact is gone when it is accepted; `completed` when all the rest is.',
    }),
    mails: { ...Count, description: 'Logs that were emptied so far.' },
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
    contact: { ...Fields, description: 'Every field that is stored of the contact.' },
    stats: nullable(Fields),
    topics: List,
    consentEvents: { ...List, description: 'What became of their consent, when and by what.' },
    suppression: nullable({ ...Fields, description: 'What the suppression list says.' }),
    mails: { ...List, description: 'Logs with their timelines, and the bodies that are kept.' },
    events: { ...List, description: 'What callers said that they did.' },
    executions: { ...List, description: 'Runs of workflows with their steps.' },
    importErrors: { ...List, description: 'Rows that imports refused and that speak of them.' },
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
        mails: [{ id: ID, status: 'delivered', recipient: 'ada@example.com', events: [] }],
        events: [{ name: 'order_placed', properties: { total: 42 }, occurredAt: TIME }],
        executions: [{ id: ID, workflowName: 'Welcome', status: 'completed', steps: [] }],
        importErrors: [],
        auditEvents: [{ action: 'contact.exported', createdAt: TIME }],
      },
    ],
  },
)
