import { type Static, Type } from 'typebox'
import { EXECUTION_STATUSES, STEP_STATUSES } from '../../domain/flows/execution.ts'
import { LONGEST_PROPERTIES, MOST_PROPERTIES } from '../../domain/contacts/properties.ts'
import {
  Address,
  Count,
  Cursor,
  ID,
  Id,
  limit,
  NextCursor,
  nullable,
  oneOf,
  rowsOf,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { ContactQuery } from '../contacts/contact.ts'
import { rowErrors } from '../error.ts'

const MOST_TRIGGERED = 1_000
/** Steps in one answer: an execution with loops may have many more. */
export const MOST_STEPS_SHOWN = 1_000

const Status = oneOf(EXECUTION_STATUSES, {
  description: '`paused`: in a delay. `waiting`: for an event.',
})

const Data = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: MOST_PROPERTIES,
  description: `What conditions and templates of the workflow know as \`trigger.data\`: at most ${LONGEST_PROPERTIES.toLocaleString('en')} characters as JSON, nested at most 8 deep.`,
})

const whom = {
  contactId: Type.Optional(Type.String({ minLength: 1, maxLength: 36, examples: [ID] })),
  contactEmail: Type.Optional(Address({ examples: ['ada@example.com'] })),
  data: Type.Optional(Data),
}

export const TriggerInput = strict(whom, {
  title: 'TriggerInput',
  description: 'One of `contactId` and `contactEmail` is needed; of both the id counts.',
  examples: [{ contactEmail: 'ada@example.com', data: { orderId: 'o-42' } }],
})
export type TriggerInput = Static<typeof TriggerInput>

export const Triggered = Type.Object(
  {
    success: Type.Literal(true),
    executionId: Id,
    workflowId: Id,
    workflowName: Type.String(),
    contactId: Id,
    status: Status,
  },
  {
    title: 'Triggered',
    examples: [
      {
        success: true,
        executionId: ID,
        workflowId: ID,
        workflowName: 'Welcome',
        contactId: ID,
        status: 'pending',
      },
    ],
  },
)

/** One of the contacts of a request. */
export const TriggerRow = strict(whom)
export type TriggerRow = Static<typeof TriggerRow>

export const TriggerBatchInput = strict(
  {
    contacts: rowsOf(TriggerRow, { maxItems: MOST_TRIGGERED }),
    data: Type.Optional({
      ...Data,
      description: 'Of every contact; what a contact has of its own counts.',
    }),
  },
  {
    title: 'TriggerBatchInput',
    description: 'A contact that is named twice is triggered once, as it is named first.',
    examples: [
      {
        contacts: [{ contactId: ID }, { contactEmail: 'ada@example.com', data: { seat: '4a' } }],
        data: { event: 'Open day' },
      },
    ],
  },
)
export const TriggeredBatch = Type.Object(
  {
    success: Type.Boolean({ description: 'Every contact was triggered.' }),
    triggered: Count,
    executions: Type.Array(Type.Object({ contactId: Id, executionId: Id })),
    ...rowErrors,
  },
  {
    title: 'TriggeredBatch',
    examples: [
      {
        success: false,
        triggered: 1,
        executions: [{ contactId: ID, executionId: ID }],
        errors: ['contacts[1]: Contact not found'],
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

const execution = {
  id: Id,
  workflowId: Id,
  workflowName: Type.String(),
  workflowVersion: Type.Integer({
    minimum: 1,
    description: 'The version it runs, whatever the workflow is by now.',
  }),
  contactId: Id,
  status: Status,
  reason: nullable(
    Type.String({ description: 'Why it ended: a stable word, or the reason of its exit step.' }),
  ),
  error: nullable(Type.String()),
  attempt: Type.Integer({ minimum: 1, description: 'Raised by each retry.' }),
  currentStepId: nullable(
    Type.String({ description: 'Where it stands; of a failed one the step that failed.' }),
  ),
  topicId: nullable({ ...Id, description: 'The topic whose subscription started it.' }),
  eventId: nullable({ ...Id, description: 'The event that started it.' }),
  createdAt: Time,
  startedAt: nullable(Time),
  finishedAt: nullable(Time),
}

const EXAMPLE = {
  id: ID,
  workflowId: ID,
  workflowName: 'Welcome',
  workflowVersion: 3,
  contactId: ID,
  status: 'failed',
  reason: 'missing_value',
  error: '"contact.firstName" has no value and no default',
  attempt: 1,
  currentStepId: 'hello',
  topicId: null,
  eventId: ID,
  createdAt: TIME,
  startedAt: TIME,
  finishedAt: TIME,
}

export const Execution = Type.Object(execution, { title: 'Execution' })
export type Execution = Static<typeof Execution>

export const ExecutionStep = Type.Object(
  {
    id: Type.String({ description: 'Of this visit of the step.' }),
    stepId: Type.String(),
    name: Type.String(),
    type: Type.String(),
    status: oneOf(STEP_STATUSES),
    visit: Type.Integer({ minimum: 1, description: 'How often the execution came here so far.' }),
    try: Type.Integer({ minimum: 1, description: 'Raised by each retry of a failed step.' }),
    branch: nullable(Type.String()),
    result: Type.Unknown({
      description:
        'What the step made, by its type; null: nothing, or the version that the execution runs has no such step any more.',
    }),
    reason: nullable(Type.String({ description: 'Why it was skipped or failed.' })),
    error: nullable(Type.String()),
    dueAt: nullable({
      ...Time,
      description:
        'Of a step that waits: when its delay or timeout ends. Null: it does not wait, or no end is known.',
    }),
    calls: Type.Integer({
      minimum: 0,
      description:
        'Of a webhook step that is executing: the calls that this try of it has begun, eight at most unless a worker was lost in one. 0: none yet, it waits for a free slot; or the step is over.',
    }),
    lastError: nullable(
      Type.String({
        description:
          'Of a webhook step that is executing: why its last call that ended did not succeed. It names neither address nor headers nor what was answered.',
      }),
    ),
    nextTryAt: nullable({
      ...Time,
      description:
        'Of a webhook step that is executing: when it is called again. A moment that is over: it waits for a free slot or a worker. Null: a call is under way, or none has failed.',
    }),
    startedAt: Time,
    finishedAt: nullable(Time),
  },
  { title: 'ExecutionStep' },
)
export type ExecutionStep = Static<typeof ExecutionStep>

export const ExecutionDetail = Type.Object(
  {
    ...execution,
    data: Type.Record(Type.String(), Type.Unknown(), { description: '`trigger.data`.' }),
    stepCount: Type.Integer({ minimum: 0, description: 'Visits of steps, all of them.' }),
    steps: Type.Array(ExecutionStep, {
      description: `In the order they were come to; of more than ${MOST_STEPS_SHOWN.toLocaleString('en')} the last.`,
    }),
  },
  {
    title: 'ExecutionDetail',
    examples: [
      {
        ...EXAMPLE,
        data: { orderId: 'o-42' },
        stepCount: 1,
        steps: [
          {
            id: ID,
            stepId: 'hello',
            name: 'Say hello',
            type: 'send_email',
            status: 'failed',
            visit: 1,
            try: 1,
            branch: null,
            result: null,
            reason: 'missing_value',
            error: '"contact.firstName" has no value and no default',
            dueAt: null,
            calls: 0,
            lastError: null,
            nextTryAt: null,
            startedAt: TIME,
            finishedAt: TIME,
          },
        ],
      },
    ],
  },
)

export const ExecutionListQuery = strict({
  limit: limit(20, 100),
  cursor: Cursor,
  status: Type.Optional(Status),
  contactId: Type.Optional({ ...Id, description: 'Of this contact only.' }),
})

export const ContactExecutionQuery = strict({
  ...ContactQuery.properties,
  limit: limit(20, 100),
  cursor: Cursor,
  status: Type.Optional(Status),
})

export const ExecutionList = Type.Object(
  { data: Type.Array(Execution), nextCursor: NextCursor },
  { title: 'ExecutionList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

const changed = (title: string, status: 'pending' | 'cancelled') =>
  Type.Object(
    { success: Type.Literal(true), executionId: Id, status: Type.Literal(status) },
    { title, examples: [{ success: true, executionId: ID, status }] },
  )
/** A version that an execution takes when it is retried. */
export const RetryVersion = oneOf(['newest'], {
  description:
    'Goes on with the newest version of the workflow, for good, where that has the step that failed. Completed steps stay so, by their ids. Absent: with the version that the execution runs.',
})

/** A body that may be left out. */
export const RetryInput = nullable(
  strict(
    { version: Type.Optional(RetryVersion) },
    { title: 'RetryInput', examples: [{ version: 'newest' }] },
  ),
)

export const ExecutionRetried = changed('ExecutionRetried', 'pending')
export const ExecutionCancelled = changed('ExecutionCancelled', 'cancelled')
