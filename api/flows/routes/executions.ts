import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflict } from '../../../src/domain/errors.ts'
import { bucketStart, isUuid, type Uuid } from '../../../src/runtime/ids.ts'
import { ExecutionParams, FlowParams, IdParams } from '../../../src/schemas/common.ts'
import {
  ContactExecutionQuery,
  ExecutionCancelled,
  ExecutionDetail,
  ExecutionList,
  ExecutionListQuery,
  ExecutionRetried,
  FlowStepCounts,
  MOST_STEPS_SHOWN,
  RetryInput,
} from '../../../src/schemas/flows/execution.ts'
import * as executionOperations from '../../../src/core/flows/retry-and-cancel.ts'
import * as executionReads from '../../../src/store/flows/execution-views.ts'
import type { Sql } from '../../../src/store/db/sql.ts'
import { findFlowId } from '../../../src/store/flows/api-triggers.ts'
import type { Caller } from '../../caller.ts'
import { contactId } from '../../contacts/contact-keys.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { missing } from '../../../src/core/access/ownership.ts'
import { pageOf } from '../../http/pages.ts'
import { shownSince } from '../../../src/core/access/plan.ts'

const tags = ['workflows']
const reading = { scope: 'read' } as const
const writing = { scope: 'workflows' } as const
/** Executions of one status that are counted by their steps. */
const MOST_COUNTED = 50_000
const KEPT = 'What ended longer ago than your plan keeps it is left out.'
const KEPT_OF_FLOW = 'What is over and was created longer ago than your plan keeps it is left out.'

export const executionRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.get(
    '/v1/workflows/:workflowId/executions',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listWorkflowExecutions',
        summary: 'List the executions of a workflow, newest first',
        description: `Use the id or slug of the workflow. A deleted workflow is found by its id only. ${KEPT_OF_FLOW}`,
        params: FlowParams,
        querystring: ExecutionListQuery,
        response: { 200: ExecutionList },
      },
    },
    async ({ caller, params: { workflowId: id }, query: { cursor, ...query } }) => {
      const { organizationId, sql } = caller
      const flowId = await findFlowId(sql, organizationId, id)
      if (flowId === undefined) throw await missing(sql, 'flow', organizationId, id)
      return list(caller, { flowId, ...query }, cursor)
    },
  )

  app.get(
    '/v1/workflows/:workflowId/steps',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listWorkflowSteps',
        summary: 'Count the executions at each step of a workflow, by id or slug',
        description: `Of all versions. Steps without executions are left out. At most ${MOST_COUNTED.toLocaleString('en')} executions of each status are counted.`,
        params: FlowParams,
        response: { 200: FlowStepCounts },
      },
    },
    async ({ caller: { organizationId, sql }, params: { workflowId: id } }) => {
      const flowId = await findFlowId(sql, organizationId, id)
      if (flowId === undefined) throw await missing(sql, 'flow', organizationId, id)
      return executionReads.countBySteps(sql, organizationId, { flowId, most: MOST_COUNTED })
    },
  )

  app.get(
    '/v1/contacts/:id/executions',
    {
      config: { scope: ['read', 'contacts'] },
      schema: {
        tags,
        operationId: 'listContactExecutions',
        summary: 'List the executions of workflows for a contact, newest first',
        description: KEPT,
        params: IdParams,
        querystring: ContactExecutionQuery,
        response: { 200: ExecutionList },
      },
    },
    async ({ caller, params, query: { by, cursor, ...query } }) => {
      const { organizationId, sql } = caller
      const id = await contactId(sql, organizationId, { ...params, by })
      return list(caller, { contactId: id, ...query }, cursor)
    },
  )

  app.get(
    '/v1/workflows/executions/:executionId',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getExecution',
        summary: 'Get an execution with all its steps',
        description: KEPT,
        params: ExecutionParams,
        response: { 200: ExecutionDetail },
      },
    },
    async ({ caller: { organizationId, sql }, params: { executionId: id } }) => {
      const shownPeriod = await keptOf(sql, organizationId)
      const execution = isUuid(id)
        ? await executionReads.find(sql, organizationId, id, shownPeriod)
        : undefined
      if (!execution) throw await missing(sql, 'execution', organizationId, id)
      const steps = await executionReads.listSteps(sql, organizationId, execution, MOST_STEPS_SHOWN)
      return { ...execution, ...steps }
    },
  )

  app.post(
    '/v1/workflows/executions/:executionId/retry',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'retryExecution',
        summary: 'Resume a failed execution at its failed step',
        description:
          'Completed steps are not repeated. With `version`, the execution continues with the present workflow, at the failed step. Fails with 409 if the status is not `failed` (`execution_not_failed`), the workflow is deleted (`workflow_deleted`), `maxConcurrentExecutions` others are running (`workflow_full`), or the newest version lacks the failed step (`step_removed`).',
        params: ExecutionParams,
        body: RetryInput,
        response: { 200: ExecutionRetried, ...failures(409) },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, params, body }) => {
      const id = params.executionId.toLowerCase()
      const retried = isUuid(id)
        ? await executionOperations.retry(tx, organizationId, id, requestId, body?.version)
        : undefined
      if (!retried) throw await missing(tx, 'execution', organizationId, id)
      if (retried.outcome === 'not_failed') {
        throw conflict(`Only a failed execution can be retried. This one is ${retried.status}`, {
          reason: 'execution_not_failed',
        })
      }
      if (retried.outcome === 'flow_deleted') {
        throw conflict('The workflow of this execution is deleted', { reason: 'workflow_deleted' })
      }
      if (retried.outcome === 'flow_full') {
        throw conflict('The workflow has reached its maxConcurrentExecutions. Try again later', {
          reason: 'workflow_full',
        })
      }
      if (retried.outcome === 'flow_step_removed') {
        throw conflict('The newest version of the workflow does not have the failed step', {
          reason: 'step_removed',
        })
      }
      return { success: true as const, executionId: id, status: 'pending' as const }
    },
  )

  app.post(
    '/v1/workflows/executions/:executionId/cancel',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'cancelExecution',
        summary: 'Cancel an unfinished execution',
        description:
          'Its waits end, and its queued mail is not sent. Repeated requests succeed. Fails with 409 `execution_over` if the execution is completed or failed.',
        params: ExecutionParams,
        response: { 200: ExecutionCancelled, ...failures(409) },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, params }) => {
      const id = params.executionId.toLowerCase()
      const cancelled = isUuid(id)
        ? await executionOperations.cancel(tx, organizationId, id, requestId)
        : undefined
      if (!cancelled) throw await missing(tx, 'execution', organizationId, id)
      if (cancelled.outcome === 'over') {
        throw conflict(`The execution is already ${cancelled.status}`, { reason: 'execution_over' })
      }
      return { success: true as const, executionId: id, status: 'cancelled' as const }
    },
  )

  interface ExecutionFilter {
    flowId?: Uuid
    contactId?: Uuid
    status?: string
    limit: number
  }

  async function list(
    { organizationId, sql }: Caller,
    { limit, ...of }: ExecutionFilter,
    cursor: string | undefined,
  ) {
    const scope = { list: 'executions', organizationId, filters: of }
    const rows = await executionReads.list(sql, organizationId, {
      ...of,
      before: decodeCursor(scope, cursor),
      limit: limit + 1,
      kept: await keptOf(sql, organizationId),
    })
    const { page, nextCursor } = pageOf(rows, limit, scope)
    return { data: page, nextCursor }
  }

  async function keptOf(sql: Sql, organizationId: Uuid): Promise<executionReads.ShownPeriod> {
    const since = await shownSince(sql, organizationId, now())
    return { since: new Date(since).toISOString(), lowest: bucketStart(since) }
  }
}
