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
/** Steps in one answer. An execution with loops may have many more. */
export const MOST_STEPS_SHOWN = 1_000

const Status = oneOf(EXECUTION_STATUSES, {
  description: '`paused`: in a delay. `waiting`: for an event.',
})

const Data = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: MOST_PROPERTIES,
  description: `Data for conditions and templates of the workflow, as \`trigger.data\`: at most ${LONGEST_PROPERTIES.toLocaleString('en')} characters as JSON, nested at most 8 levels deep.`,
})

const whom = {
  contactId: Type.Optional(Type.String({ minLength: 1, maxLength: 36, examples: [ID] })),
  contactEmail: Type.Optional(Address({ examples: ['ada@example.com'] })),
  data: Type.Optional(Data),
}

export const TriggerInput = strict(whom, {
  title: 'TriggerInput',
  description: '`contactId` or `contactEmail` is required. If both are sent, the id is used.',
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

export const TriggerRow = strict(whom)
export type TriggerRow = Static<typeof TriggerRow>

export const TriggerBatchInput = strict(
  {
    contacts: rowsOf(TriggerRow, { maxItems: MOST_TRIGGERED }),
    data: Type.Optional({
      ...Data,
      description: 'Data for all contacts. Data of a single contact takes precedence.',
    }),
  },
  {
    title: 'TriggerBatchInput',
    description: 'A contact that is listed twice is triggered once, by its first entry.',
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
    success: Type.Boolean({ description: '`true` if every contact was triggered.' }),
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
    description:
      'Version of the workflow that the execution runs. Later versions do not change it.',
  }),
  contactId: Id,
  status: Status,
  reason: nullable(
    Type.String({
      description:
        'Why the execution ended: a stable snake_case word, or the reason of its exit step.',
    }),
  ),
  error: nullable(Type.String()),
  attempt: Type.Integer({ minimum: 1, description: 'Increased by each retry.' }),
  currentStepId: nullable(
    Type.String({ description: 'The current step. For a failed execution, the step that failed.' }),
  ),
  topicId: nullable({ ...Id, description: 'Topic whose subscription started the execution.' }),
  eventId: nullable({ ...Id, description: 'Event that started the execution.' }),
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
    id: Type.String({ description: 'Id of this visit of the step.' }),
    stepId: Type.String(),
    name: Type.String(),
    type: Type.String(),
    status: oneOf(STEP_STATUSES),
    visit: Type.Integer({
      minimum: 1,
      description: 'How often the execution has reached this step.',
    }),
    try: Type.Integer({ minimum: 1, description: 'Increased by each retry of a failed step.' }),
    branch: nullable(Type.String()),
    result: Type.Unknown({
      description:
        'Result of the step, by its type. Null if there is none, or if the version of the execution no longer has the step.',
    }),
    reason: nullable(Type.String({ description: 'Why the step was skipped or failed.' })),
    error: nullable(Type.String()),
    dueAt: nullable({
      ...Time,
      description:
        'When the delay or timeout of a waiting step ends. Null if it does not wait, or if no end is known.',
    }),
    calls: Type.Integer({
      minimum: 0,
      description:
        'Calls that the present try of an executing webhook step has begun. At most eight, unless a worker was lost during one. 0 if it waits for a free slot, or if the step is over.',
    }),
    lastError: nullable(
      Type.String({
        description:
          'Why the last finished call of an executing webhook step did not succeed. It contains no address, headers or response.',
      }),
    ),
    nextTryAt: nullable({
      ...Time,
      description:
        'When an executing webhook step is called again. If this time has passed, the step waits for a free slot or a worker. Null if a call is running, or if none has failed.',
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
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: '`trigger.data` of the execution.',
    }),
    stepCount: Type.Integer({ minimum: 0, description: 'Number of all visits of steps.' }),
    steps: Type.Array(ExecutionStep, {
      description: `Visits of steps in order. If there are more than ${MOST_STEPS_SHOWN.toLocaleString('en')}, the last ones.`,
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
  contactId: Type.Optional({ ...Id, description: 'Returns only executions of this contact.' }),
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

const STEP_COUNT_EXAMPLE = { stepId: 'wait', live: 812, failed: 3 }

export const FlowStepCounts = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          stepId: nullable(
            Type.String({ description: 'Null: executions that have not reached a step yet.' }),
          ),
          live: { ...Count, description: 'Unfinished executions that are at this step.' },
          failed: { ...Count, description: 'Failed executions that a retry resumes at this step.' },
        },
        { title: 'WorkflowStepCount' },
      ),
    ),
    countsAreExact: Type.Boolean({
      description: '`false` if there are more executions than were counted.',
    }),
  },
  {
    title: 'WorkflowStepCounts',
    examples: [{ data: [STEP_COUNT_EXAMPLE], countsAreExact: true }],
  },
)

const changed = (title: string, status: 'pending' | 'cancelled') =>
  Type.Object(
    { success: Type.Literal(true), executionId: Id, status: Type.Literal(status) },
    { title, examples: [{ success: true, executionId: ID, status }] },
  )
export const RetryVersion = oneOf(['newest'], {
  description:
    '`newest` continues permanently with the newest version of the workflow, if it has the failed step. Completed steps are not repeated. By default, the execution continues with its own version.',
})

export const RetryInput = nullable(
  strict(
    { version: Type.Optional(RetryVersion) },
    { title: 'RetryInput', examples: [{ version: 'newest' }] },
  ),
)

export const ExecutionRetried = changed('ExecutionRetried', 'pending')
export const ExecutionCancelled = changed('ExecutionCancelled', 'cancelled')
