import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflict } from '../../../src/domain/errors.ts'
import { isUuid, type Uuid } from '../../../src/runtime/ids.ts'
import { FlowOperationParams, FlowParams } from '../../../src/schemas/common.ts'
import {
  FlowOperation,
  FlowOperationList,
  FlowOperationListQuery,
  RetryFailedInput,
} from '../../../src/schemas/flows/flow-operation.ts'
import { missing } from '../../../src/core/access/ownership.ts'
import { startOperation } from '../../../src/core/flows/flow-operations.ts'
import type { Executor } from '../../../src/store/db/sql.ts'
import { findFlowId } from '../../../src/store/flows/api-triggers.ts'
import * as flows from '../../../src/store/flows/flows.ts'
import * as flowOperations from '../../../src/store/flows/flow-operations.ts'
import { audit } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { operationView } from '../operation-view.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { failures } from '../../http/failures.ts'
import { pageOf } from '../../http/pages.ts'

const tags = ['workflows']
const reading = { scope: 'read' } as const
const writing = { scope: 'workflows' } as const

export const flowOperationRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.post(
    '/v1/workflows/:workflowId/cancel-executions',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'cancelWorkflowExecutions',
        summary: 'Cancel all unfinished executions of a workflow, by id or slug',
        description:
          'Cancels the present executions. If the workflow is disabled, executions that are just being started are cancelled as well. Their waits end, and their queued mail is not sent. Returns an operation: `GET /v1/workflow-operations/{operationId}` returns its progress. A workflow can have ten running operations (409 `operation_limit`).',
        params: FlowParams,
        response: { 202: FlowOperation, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { tx, id: requestId, params } = request
      const { organizationId } = request.caller
      const flowId = await requireFlow(tx, organizationId, params.workflowId)
      const target = { kind: 'cancel' } as const
      const operation = await startOperation(tx, { organizationId, flowId, target, requestId })
      await audit(tx, request, now, {
        action: 'workflow.executions_cancelled',
        subject: { kind: 'workflow', id: flowId },
      })
      reply.code(202)
      return operationView(operation)
    },
  )

  app.post(
    '/v1/workflows/:workflowId/retry-failed',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'retryWorkflowFailed',
        summary: 'Resume the failed executions of a workflow at their failed steps, by id or slug',
        description:
          'Retries all executions that have failed by now, as by `retry`. With `version` they continue with the present workflow. Executions that the newest version cannot continue are `skipped`. While `maxConcurrentExecutions` others are running, the operation waits. Returns an operation: `GET /v1/workflow-operations/{id}` returns its progress. Fails with 409 if the workflow is deleted (`workflow_deleted`), or has ten running operations (`operation_limit`).',
        params: FlowParams,
        body: RetryFailedInput,
        response: { 202: FlowOperation, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { tx, id: requestId, params, body } = request
      const { organizationId } = request.caller
      const flowId = await requireFlow(tx, organizationId, params.workflowId)
      if (!(await flows.find(tx, organizationId, flowId))) {
        throw conflict('The workflow is deleted', { reason: 'workflow_deleted' })
      }
      const target = { kind: 'retry', ...body } as const
      const operation = await startOperation(tx, { organizationId, flowId, target, requestId })
      await audit(tx, request, now, {
        action: 'workflow.executions_retried',
        subject: { kind: 'workflow', id: flowId },
      })
      reply.code(202)
      return operationView(operation)
    },
  )

  app.get(
    '/v1/workflows/:workflowId/operations',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listWorkflowOperations',
        summary: 'List operations on many executions of a workflow, newest first',
        description:
          'Use the id or slug of the workflow. Operations are kept for 30 days after their completion.',
        params: FlowParams,
        querystring: FlowOperationListQuery,
        response: { 200: FlowOperationList },
      },
    },
    async ({ caller: { organizationId, sql }, params, query: { limit, cursor } }) => {
      const flowId = await requireFlow(sql, organizationId, params.workflowId)
      const scope = { list: 'workflow operations', organizationId, filters: { flowId } }
      const before = decodeCursor(scope, cursor)
      const page = { flowId, before, limit: limit + 1 }
      const rows = await flowOperations.list(sql, organizationId, page)
      const { page: data, nextCursor } = pageOf(rows, limit, scope)
      return { data: data.map(operationView), nextCursor }
    },
  )

  app.get(
    '/v1/workflow-operations/:operationId',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getWorkflowOperation',
        summary: 'Get an operation on many executions of a workflow',
        description:
          '`done` of `total` executions are processed. The others follow in the background. Operations are kept for 30 days after their completion.',
        params: FlowOperationParams,
        response: { 200: FlowOperation },
      },
    },
    async ({ caller: { organizationId, sql }, params }) => {
      const id = params.operationId.toLowerCase()
      const operation = isUuid(id) ? await flowOperations.find(sql, organizationId, id) : undefined
      if (!operation) throw await missing(sql, 'operation', organizationId, id)
      return operationView(operation)
    },
  )
}

/** Returns the id of a flow by its id or slug. A deleted flow is found by its id only. */
async function requireFlow(sql: Executor, organizationId: Uuid, id: string): Promise<Uuid> {
  const flowId = await findFlowId(sql, organizationId, id)
  if (flowId === undefined) throw await missing(sql, 'flow', organizationId, id)
  return flowId
}
