import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { diagramOf } from '../../../src/domain/flows/flow-diagram.ts'
import { FlowParams, type Warning } from '../../../src/schemas/common.ts'
import {
  ChangedFlow,
  DisabledFlow,
  DisableInput,
  FlowSecret,
  FlowVersionList,
  FlowVersionListQuery,
  FlowVersionQuery,
} from '../../../src/schemas/flows/flow.ts'
import * as organizations from '../../../src/store/access/organizations.ts'
import * as flows from '../../../src/store/flows/flows.ts'
import type { Transaction } from '../../../src/store/db/sql.ts'
import { audit } from '../../access/audit.ts'
import { auditFlowChange } from '../audit-flow-change.ts'
import { operationView } from '../operation-view.ts'
import { decodeNumberCursor, encodeNumberCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { rotateSecret, switchFlow } from '../../../src/core/flows/change-flow.ts'
import { startOperation } from '../../../src/core/flows/flow-operations.ts'
import { sendersOfSteps } from '../../../src/core/flows/senders.ts'
import { viewOf } from '../../../src/core/flows/views.ts'
import { missing } from '../../../src/core/access/ownership.ts'
import { createSenderChecks, warned } from '../../accounts/sender-check.ts'

const tags = ['workflows']
const reading = { scope: 'read' } as const
const writing = { scope: 'workflows' } as const

export const flowStateRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { keyring, now } = deps
  const senders = createSenderChecks(app, deps)

  app.post(
    '/v1/workflows/:workflowId/enable',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'enableWorkflow',
        summary: 'Enable a workflow, by id or slug',
        description:
          'The trigger starts executions from now on. Everything that the workflow needs must exist: published templates, topics, connected accounts, an SMS transport, verified senders (`sender_not_verified`, or a warning if the account does not answer within two seconds). At most 20 enabled workflows can have the same event name, topic, segment or kind of trigger (409 `trigger_limit`). Repeated requests change nothing.',
        params: FlowParams,
        response: { 200: ChangedFlow, ...failures(409) },
      },
      preHandler: async (request) => {
        const { organizationId, sql } = request.caller
        const flow = await flows.find(sql, organizationId, request.params.workflowId)
        if (!flow || flow.enabled) return
        const { steps } = flow.definition
        await senders.check(request, await sendersOfSteps(sql, organizationId, steps))
      },
    },
    async (request) => {
      // Before the flow, as a push does.
      await organizations.lock(request.tx, request.caller.organizationId)
      const { flow, warnings } = await switchTo(request, true)
      return warned(await viewOf(request.tx, request.caller.organizationId, flow), warnings)
    },
  )

  app.post(
    '/v1/workflows/:workflowId/disable',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'disableWorkflow',
        summary: 'Disable a workflow, by id or slug',
        description:
          'Nothing starts executions from now on. Running executions continue, unless `running` is `cancel`: then they are cancelled as by `cancel-executions`, and `operation` has the progress. Repeated requests change nothing else.',
        params: FlowParams,
        body: DisableInput,
        response: { 200: DisabledFlow, ...failures(409) },
      },
    },
    async (request) => {
      const { tx, id: requestId, body } = request
      const { organizationId } = request.caller
      const { flow, warnings } = await switchTo(request, false)
      const target = { kind: 'cancel' } as const
      const asked = { organizationId, flowId: flow.id, target, requestId }
      const view = warned(await viewOf(tx, organizationId, flow), warnings)
      if (body?.running !== 'cancel') return view
      return { ...view, operation: operationView(await startOperation(tx, asked)) }
    },
  )

  async function switchTo(
    request: FastifyRequest<{ Params: { workflowId: string } }>,
    enabled: boolean,
  ) {
    const { tx, id: requestId, params } = request
    const { organizationId } = request.caller
    const flow = await locked(tx, organizationId, params.workflowId)
    const warnings: Warning[] = []
    const checked = { senders: senders.of(request), warnings }
    const changing = { tx, organizationId, keyring, requestId, ...checked }
    const switched = await switchFlow(changing, flow, enabled)
    await auditFlowChange(tx, request, now, { was: flow, flow: switched })
    return { flow: switched, warnings }
  }

  app.get(
    '/v1/workflows/:workflowId/versions',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listWorkflowVersions',
        summary: 'List the versions of a workflow, newest first',
        description:
          'Versions never change. `GET /v1/workflows/{workflowId}?version=` returns the steps of a version.',
        params: FlowParams,
        querystring: FlowVersionListQuery,
        response: { 200: FlowVersionList },
      },
    },
    async ({
      caller: { organizationId, sql },
      params: { workflowId: id },
      query: { limit, cursor },
    }) => {
      const flow = await flows.find(sql, organizationId, id)
      if (!flow) throw await missing(sql, 'flow', organizationId, id)
      const scope = { list: 'workflow versions', organizationId, filters: { id: flow.id } }
      const rows = await flows.listVersions(sql, organizationId, {
        flowId: flow.id,
        before: decodeNumberCursor(scope, cursor),
        limit: limit + 1,
      })
      const data = rows.slice(0, limit)
      const last = rows.length > limit ? data.at(-1) : undefined
      return { data, nextCursor: last ? encodeNumberCursor(scope, last.version) : null }
    },
  )

  app.get(
    '/v1/workflows/:workflowId/diagram',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getWorkflowDiagram',
        summary: 'Get a Mermaid flowchart of a workflow, by id or slug',
        description:
          'Returns text that every Mermaid renderer draws: the trigger, each step with its type and effect, and the branches.',
        params: FlowParams,
        querystring: FlowVersionQuery,
        response: {
          200: {
            description: 'A Mermaid flowchart',
            content: {
              'text/plain': {
                schema: { type: 'string' },
                example: 'flowchart TD\n  start(["Trigger<br/>api"])\n  start --> s0\n',
              },
            },
          },
        },
      },
    },
    async (
      { caller: { organizationId, sql }, params: { workflowId: id }, query: { version } },
      reply,
    ) => {
      const flow = await flows.find(sql, organizationId, id, version)
      if (!flow) throw await missing(sql, 'flow', organizationId, id)
      return reply.type('text/plain; charset=utf-8').send(diagramOf(flow.definition))
    },
  )

  app.post(
    '/v1/workflows/:workflowId/rotate-secret',
    {
      config: { ...writing, secrets: ['webhookSecret'] },
      schema: {
        tags,
        operationId: 'rotateWorkflowSecret',
        summary: 'Rotate the webhook secret of a workflow, by id or slug',
        description:
          'For 24 hours webhooks are also signed with the previous secret. The new secret is returned only once.',
        params: FlowParams,
        response: { 200: FlowSecret, ...failures(409) },
      },
    },
    async (request) => {
      const { tx, caller, params } = request
      const { organizationId } = caller
      const { id } = await locked(tx, organizationId, params.workflowId)
      const rotated = await rotateSecret({ tx, organizationId, keyring }, id)
      if (!rotated) throw await missing(tx, 'flow', organizationId, id)
      await audit(tx, request, now, {
        action: 'workflow.secret_rotated',
        subject: { kind: 'workflow', id },
      })
      return { success: true as const, ...rotated }
    },
  )
}

async function locked(tx: Transaction, organizationId: string, id: string) {
  const flow = await flows.lock(tx, organizationId, id)
  return flow ?? Promise.reject(await missing(tx, 'flow', organizationId, id))
}
