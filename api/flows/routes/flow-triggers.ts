import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  countDropped,
  NotAdmitted,
  triggerMany,
  triggerOne,
} from '../../../src/core/flows/trigger-by-api.ts'
import { rowFailures, toldFailures } from '../../../src/domain/row-failures.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import { FlowParams } from '../../../src/schemas/common.ts'
import {
  TriggerBatchInput,
  Triggered,
  TriggeredBatch,
  TriggerInput,
  TriggerRow,
} from '../../../src/schemas/flows/execution.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { rowChecker } from '../../http/row-checks.ts'

const tags = ['workflows']
const checkRows = rowChecker(TriggerRow)
const config = { scope: 'events' } as const

export const flowTriggerRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.post(
    '/v1/workflows/:workflowId/trigger',
    {
      config,
      onError: async (request, _reply, error) => {
        if (error instanceof NotAdmitted) await noteDropped(request, error.flowId)
      },
      schema: {
        tags,
        operationId: 'triggerWorkflow',
        summary: 'Start a workflow for a contact',
        description:
          'The workflow must be enabled and have the trigger `api`, else the request fails with 409 (`workflow_not_api`, `workflow_disabled`). It also fails with 409 if the settings of the workflow do not admit the contact now (`not_admitted`). The execution is `pending` until it begins. If `maxConcurrentExecutions` others are running then, it is cancelled (`dropped`).',
        params: FlowParams,
        body: TriggerInput,
        response: { 200: Triggered, ...failures(409) },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, params, body }) => {
      const { flow, contactId, executionId } = await triggerOne(
        tx,
        organizationId,
        params.workflowId,
        body,
        requestId,
      )
      return {
        success: true as const,
        executionId,
        workflowId: flow.id,
        workflowName: flow.name,
        contactId,
        status: 'pending' as const,
      }
    },
  )

  app.post(
    '/v1/workflows/:workflowId/trigger/batch',
    {
      config,
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      schema: {
        tags,
        operationId: 'triggerWorkflowBatch',
        summary: 'Start a workflow for up to 1,000 contacts',
        description:
          'Contacts are independent: one that cannot be triggered is reported in `errorDetails` with the error that it would get alone, and all others are triggered.',
        params: FlowParams,
        body: TriggerBatchInput,
        response: { 200: TriggeredBatch },
      },
    },
    async (request) => {
      const { tx, id: requestId, params, body } = request
      const { organizationId } = request.caller
      const failures = rowFailures('contacts')
      const rows = await checkRows(request, body.contacts, failures)
      const triggerRows = { rows, data: body.data }
      const { executions, refusals } = await triggerMany(
        tx,
        organizationId,
        params.workflowId,
        triggerRows,
        requestId,
      )
      for (const { index, refusal } of refusals) failures.add(index, refusal)
      const report = toldFailures('contacts', failures.list())
      const success = report.errors.length === 0
      return { success, triggered: executions.length, executions, ...report }
    },
  )

  /** A failed count must not replace the refusal. */
  async function noteDropped({ caller, id, log }: FastifyRequest, flowId: Uuid): Promise<void> {
    try {
      await countDropped(caller.sql, caller.organizationId, flowId)
    } catch (error) {
      log.warn({ reqId: id, err: error }, 'dropped execution was not counted')
    }
  }
}
