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

const EXAMPLE = {
  id: ID,
  workflowId: ID,
  kind: 'cancel',
  status: 'running',
  total: 1_200,
  totalIsExact: true,
  done: 400,
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
