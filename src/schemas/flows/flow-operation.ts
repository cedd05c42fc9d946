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
    kind: oneOf(OPERATION_KINDS, { description: 'What the operation does to the executions.' }),
    status: oneOf(OPERATION_STATUSES),
    total: { ...Count, description: 'Number of executions when the operation was requested.' },
    totalIsExact: Type.Boolean({
      description: '`false` if there were more executions than `total`.',
    }),
    done: { ...Count, description: 'Executions that are done.' },
    skipped: {
      ...Count,
      description:
        'Failed executions that could not be retried, because the newest version has no such step or they are no longer failed.',
    },
    version: nullable(RetryVersion),
    stepId: nullable(Type.String({ description: 'Only executions that failed at this step.' })),
    failedSince: nullable({ ...Time, description: 'Only executions that failed since this time.' }),
    createdAt: Time,
    completedAt: nullable(Time),
  },
  {
    title: 'WorkflowOperation',
    description: 'An operation on many executions of a workflow, and its progress.',
    examples: [EXAMPLE],
  },
)

export const FlowOperationListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const FlowOperationList = Type.Object(
  { data: Type.Array(FlowOperation), nextCursor: NextCursor },
  { title: 'WorkflowOperationList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

export const RetryFailedInput = nullable(
  strict(
    {
      version: Type.Optional(RetryVersion),
      stepId: Type.Optional({
        ...StepId,
        description: 'Only executions that failed at this step.',
      }),
      failedSince: Type.Optional({
        ...Time,
        description: 'Only executions that failed since this time.',
      }),
    },
    { title: 'RetryFailedInput', examples: [{ version: 'newest', stepId: 'welcome' }] },
  ),
)
