import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { AppError, notFound, refuse } from '../../src/domain/errors.ts'
import { type Uuid, uuidv7 } from '../../src/ids.ts'
import { IdParams } from '../../src/schemas/common.ts'
import {
  TriggerBatchInput,
  Triggered,
  TriggeredBatch,
  TriggerInput,
} from '../../src/schemas/execution.ts'
import { admit } from '../../src/store/admission.ts'
import { bump } from '../../src/store/flow-counters.ts'
import { type Transaction, transact } from '../../src/store/sql.ts'
import * as triggering from '../../src/store/triggering.ts'
import { LARGE_BODY_LIMIT } from '../bodies.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { missing } from '../ownership.ts'
import {
  namedContact,
  NOT_ADMITTED,
  refusedBy,
  refuseFlow,
  requireData,
  triggerMany,
} from '../triggering.ts'

const tags = ['workflows']
const config = { scope: 'events' } as const

/** A refusal whose transaction is rolled back, but which is counted. */
class NotAdmitted extends AppError {
  readonly flowId: Uuid
  constructor(flowId: Uuid) {
    super(NOT_ADMITTED.code, NOT_ADMITTED.message, { reason: NOT_ADMITTED.reason })
    this.flowId = flowId
  }
}

/** Starting a flow by hand: each contact that it lets in gets an execution. */
export const flowTriggerRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.post(
    '/v1/workflows/:id/trigger',
    {
      config,
      onError: async (request, _reply, error) => {
        if (error instanceof NotAdmitted) await countDropped(request, error.flowId)
      },
      schema: {
        tags,
        operationId: 'triggerWorkflow',
        summary: 'Start a workflow for a contact',
        description:
          'Of an enabled workflow whose trigger is `api`, else 409 (`workflow_not_api`, `workflow_disabled`). What its settings do not let in now is 409 as well (`not_admitted`). The execution is `pending` until it is begun; where `maxConcurrentExecutions` others run by then it is cancelled (`dropped`).',
        params: IdParams,
        body: TriggerInput,
        response: { 200: Triggered, ...failures(409) },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, params, body }) => {
      const { contactId: id, contactEmail, data = {} } = body
      if (id === undefined && contactEmail === undefined) {
        refuse('contactId', 'or contactEmail is needed')
      }
      requireData(data)
      const flow = await load(tx, organizationId, params.id)
      const [contactId] = await triggering.findContacts(tx, organizationId, [namedContact(body)])
      if (contactId === undefined) throw await missing(tx, 'contact', organizationId, id ?? '')
      const refusal = refuseFlow(flow)
      if (refusal) throw refusedBy(refusal)
      const start = { flow, contactId, data, dedupeKey: uuidv7() }
      const [admission] = await admit(tx, organizationId, [start], requestId)
      if (admission?.outcome === 'gone') throw notFound('Contact')
      if (admission?.outcome !== 'started') throw new NotAdmitted(flow.id)
      return {
        success: true as const,
        executionId: admission.executionId,
        workflowId: flow.id,
        workflowName: flow.name,
        contactId,
        status: 'pending' as const,
      }
    },
  )

  app.post(
    '/v1/workflows/:id/trigger/batch',
    {
      config,
      bodyLimit: LARGE_BODY_LIMIT,
      schema: {
        tags,
        operationId: 'triggerWorkflowBatch',
        summary: 'Start a workflow for up to 1,000 contacts',
        description:
          'As for one contact; a contact that cannot be triggered is an entry of `errorDetails`, with what it would be answered alone, and the others are triggered.',
        params: IdParams,
        body: TriggerBatchInput,
        response: { 200: TriggeredBatch },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, params, body }) => {
      const flow = await load(tx, organizationId, params.id)
      const { executions, refusals } = await triggerMany(tx, organizationId, flow, body, requestId)
      return {
        success: refusals.length === 0,
        triggered: executions.length,
        executions,
        errors: refusals.map(({ index, message }) => `contacts[${index}]: ${message}`),
        errorDetails: refusals,
      }
    },
  )

  /** In a transaction of its own. A count that is lost makes no refusal another one. */
  async function countDropped({ caller, id, log }: FastifyRequest, flowId: Uuid): Promise<void> {
    const { organizationId, sql } = caller
    const dropped = { flowId, counter: 'dropped', by: 1 } as const
    try {
      await transact(sql, (tx) => bump(tx, organizationId, [dropped]))
    } catch (error) {
      log.warn({ reqId: id, err: error }, 'a dropped execution was not counted')
    }
  }

  async function load(tx: Transaction, organizationId: Uuid, id: string) {
    const flow = await triggering.findFlow(tx, organizationId, id)
    if (!flow) throw await missing(tx, 'flow', organizationId, id)
    return flow
  }
}
