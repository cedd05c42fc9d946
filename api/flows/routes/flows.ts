import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { notFound } from '../../../src/domain/errors.ts'
import { FlowParams, Success, type Warning } from '../../../src/schemas/common.ts'
import {
  ChangedFlow,
  CreatedFlow,
  Flow,
  FlowInput,
  FlowList,
  FlowListQuery,
  FlowPatch,
  FlowVersionQuery,
} from '../../../src/schemas/flows/flow.ts'
import * as flows from '../../../src/store/flows/flows.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { createFlow, removeFlow } from '../../../src/core/flows/change-flow.ts'
import { definitionAfter, patchFlow } from '../../../src/core/flows/patch-flow.ts'
import { prepareDefinition } from '../../../src/core/flows/definition.ts'
import { audit } from '../../access/audit.ts'
import { auditFlowChange } from '../audit-flow-change.ts'
import { namingSteps } from '../definition-errors.ts'
import { sendersOfSteps } from '../../../src/core/flows/senders.ts'
import { summariesOf, viewOf } from '../../../src/core/flows/views.ts'
import { missing } from '../../../src/core/access/ownership.ts'
import { pageOf } from '../../http/pages.ts'
import { createSenderChecks, warned } from '../../accounts/sender-check.ts'

const tags = ['workflows']
const reading = { scope: 'read' } as const
const writing = { scope: 'workflows' } as const

export const flowRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { keyring, now } = deps
  const senders = createSenderChecks(app, deps)

  app.post(
    '/v1/workflows',
    {
      config: { ...writing, secrets: ['webhookSecret'] },
      errorHandler: namingSteps,
      schema: {
        tags,
        operationId: 'createWorkflow',
        summary: 'Create a workflow',
        description:
          'The whole definition is checked: reachable steps, named branches, loops only through a delay or wait, contents that can be rendered. Each problem names its step. The workflow runs after you enable it. Without `slug`, a slug is derived from the name. `webhookSecret` signs the requests of webhook steps and is returned only once.',
        body: FlowInput,
        response: { 201: CreatedFlow, ...failures(402, 409) },
      },
      preHandler: async (request) => {
        const { enabled = false, steps } = request.body
        const { organizationId, sql } = request.caller
        const checkSenders = async (): Promise<void> => {
          if (!enabled) return
          await senders.check(request, await sendersOfSteps(sql, organizationId, steps))
        }
        await Promise.all([checkSenders(), prepareDefinition(request.contents, request.body)])
      },
    },
    async (request, reply) => {
      const { tx, contents, id: requestId, body } = request
      const { organizationId } = request.caller
      const { name, slug, description = null, enabled = false, ...given } = body
      const warnings: Warning[] = []
      const checked = { senders: senders.of(request), warnings }
      const changing = { tx, organizationId, contents, keyring, requestId, ...checked }
      const values = { name, slug, description, enabled }
      const { flow, webhookSecret } = await createFlow(changing, values, given)
      const subject = { kind: 'workflow', id: flow.id }
      await audit(tx, request, now, {
        action: 'workflow.created',
        subject,
        detail: { enabled },
      })
      reply.code(201)
      const view = await viewOf(tx, organizationId, flow)
      return warned({ ...view, webhookSecret }, warnings)
    },
  )

  app.get(
    '/v1/workflows',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listWorkflows',
        summary: 'List workflows, newest first',
        description: 'Returns workflows without their steps.',
        querystring: FlowListQuery,
        response: { 200: FlowList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor, enabled, ...filters } }) => {
      const scope = { list: 'workflows', organizationId, filters: { ...filters, enabled } }
      const rows = await flows.list(sql, organizationId, {
        ...filters,
        enabled: enabled === undefined ? undefined : enabled === 'true',
        before: decodeCursor(scope, cursor),
        limit: limit + 1,
      })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: await summariesOf(sql, organizationId, page), nextCursor }
    },
  )

  app.get(
    '/v1/workflows/:workflowId',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getWorkflow',
        summary: 'Get a workflow by id or slug, with its steps',
        description:
          'A UUID is an id. Any other value is a slug. Headers of webhook steps are returned as `***`. `version` returns the steps of an earlier version.',
        params: FlowParams,
        querystring: FlowVersionQuery,
        response: { 200: Flow },
      },
    },
    async ({ caller: { organizationId, sql }, params: { workflowId: id }, query: { version } }) => {
      const flow = await flows.find(sql, organizationId, id, version)
      if (!flow) {
        if (version !== undefined && (await flows.find(sql, organizationId, id))) {
          throw notFound(`Version ${version} of the workflow`)
        }
        throw await missing(sql, 'flow', organizationId, id)
      }
      const view = await viewOf(sql, organizationId, flow)
      return version === undefined ? view : { ...view, version }
    },
  )

  app.patch(
    '/v1/workflows/:workflowId',
    {
      config: writing,
      errorHandler: namingSteps,
      schema: {
        tags,
        operationId: 'updateWorkflow',
        summary: 'Update a workflow, by id or slug',
        description:
          'Updates only the fields that are sent. `settings` are merged, lists are replaced. A changed definition creates a version. Running executions keep theirs. Send `***` to keep the value of a header. The new version of an enabled workflow must be able to run, and its senders must be verified.',
        params: FlowParams,
        body: FlowPatch,
        response: { 200: ChangedFlow, ...failures(409) },
      },
      preHandler: async (request) => {
        const { body, params, contents } = request
        const { organizationId, sql } = request.caller
        const flow = await flows.find(sql, organizationId, params.workflowId)
        if (!flow) return
        const renewed = definitionAfter(flow, body)
        const checkSenders = async (): Promise<void> => {
          if (renewed === undefined && flow.enabled) return
          if (!(body.enabled ?? flow.enabled)) return
          const { steps = flow.definition.steps } = body
          await senders.check(request, await sendersOfSteps(sql, organizationId, steps))
        }
        const checkContents = async (): Promise<void> => {
          if (renewed) await prepareDefinition(contents, renewed)
        }
        await Promise.all([checkSenders(), checkContents()])
      },
    },
    async (request) => {
      const { contents, id: requestId, body } = request
      const { organizationId, sql } = request.caller
      const { workflowId: id } = request.params
      const warnings: Warning[] = []
      const checked = { senders: senders.of(request), warnings }
      const changing = { organizationId, contents, keyring, requestId, ...checked }
      const changed = await patchFlow(sql, changing, id, body, (tx, was, flow) =>
        auditFlowChange(tx, request, now, { was, flow }),
      )
      if (!changed) throw await missing(sql, 'flow', organizationId, id)
      return warned(await viewOf(sql, organizationId, changed), warnings)
    },
  )

  app.delete(
    '/v1/workflows/:workflowId',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'deleteWorkflow',
        summary: 'Delete a workflow, by id or slug',
        description:
          'Nothing starts the workflow any more. Its unfinished executions are cancelled (`workflow_deleted`) at their next step, or within a minute. Executions can still be read.',
        params: FlowParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { organizationId, sql } = request.caller
      const { workflowId: id } = request.params
      const isGone = await transact(sql, async (tx) => {
        const flow = await flows.lock(tx, organizationId, id)
        if (!flow) return false
        await removeFlow({ tx, organizationId, requestId: request.id }, flow)
        const subject = { kind: 'workflow', id: flow.id }
        await audit(tx, request, now, { action: 'workflow.deleted', subject })
        return true
      })
      if (!isGone) throw await missing(sql, 'flow', organizationId, id)
      return { success: true as const }
    },
  )
}
