import { Type } from 'typebox'
import { OPERATION_KINDS, OPERATION_STATUSES } from '../../domain/flows/flow-operation.ts'
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
import { RetryVersion } from './execution.ts'
import { StepId } from './flow-steps.ts'

const EXAMPLE = {
  id: ID,
  workflowId: ID,
  kind: 'cancel',
  status: 'running',
  total: 1_200,
  totalIsExact: true,
  done: 400,
  skipped: 0,
  version: null,
  stepId: null,
  failedSince: null,
  createdAt: TIME,
  completedAt: null,
}

export const FlowOperation = Type.Object(
  {
    id: Id,
    workflowId: Id,
    kind: oneOf(OPERATION_KINDS, { description: 'What is done to the executions.' }),
    status: oneOf(OPERATION_STATUSES),
    total: { ...Count, description: 'Executions it was about when it was asked for.' },
    totalIsExact: Type.Boolean({ description: 'False: there were more than `total`.' }),
    done: { ...Count, description: 'Executions to which it is done.' },
    skipped: {
      ...Count,
      description:
        'Failed executions that could not be retried: the newest version has no such step, or they are not failed any more.',
    },
    version: nullable(RetryVersion),
    stepId: nullable(Type.String({ description: 'Only those that failed at this step.' })),
    failedSince: nullable({ ...Time, description: 'Only those that failed since then.' }),
    createdAt: Time,
    completedAt: nullable(Time),
  },
  {
    title: 'WorkflowOperation',
    description: 'What is done to many executions of a workflow, and how far it is.',
    examples: [EXAMPLE],
  },
)

export const FlowOperationListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const FlowOperationList = Type.Object(
  { data: Type.Array(FlowOperation), nextCursor: NextCursor },
  { title: 'WorkflowOperationList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

/** A body that may be left out. */
export const RetryFailedInput = nullable(
  strict(
    {
      version: Type.Optional(RetryVersion),
      stepId: Type.Optional({
        ...StepId,
        description: 'Only those that failed at this step.',
      }),
      failedSince: Type.Optional({ ...Time, description: 'Only those that failed since then.' }),
    },
    { title: 'RetryFailedInput', examples: [{ version: 'newest', stepId: 'welcome' }] },
  ),
)
