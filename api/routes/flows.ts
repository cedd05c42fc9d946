import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflict, notFound } from '../../src/domain/errors.ts'
import { IdParams, Success } from '../../src/schemas/common.ts'
import {
  CreatedFlow,
  Flow,
  FlowInput,
  FlowList,
  FlowListQuery,
  FlowPatch,
  FlowVersionQuery,
} from '../../src/schemas/flow.ts'
import * as flows from '../../src/store/flows.ts'
import { hasState, transact, UNIQUE_VIOLATION } from '../../src/store/sql.ts'
import { decodeCursor } from '../cursor.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { changeFlow, createFlow, removeFlow } from '../flow-changes.ts'
import { wireOf } from '../flow-draft.ts'
import { prepareDefinition } from '../flow-definition.ts'
import { namingSteps } from '../flow-errors.ts'
import { summariesOf, viewOf } from '../flow-views.ts'
import { missing } from '../ownership.ts'
import { pageOf } from '../pages.ts'
import { slugTaken } from '../slugs.ts'

const tags = ['workflows']
const reading = { scope: 'read' } as const
const writing = { scope: 'workflows' } as const

/** What customers draw: flows in the code. Their runs are executions. */
export const flowRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { keyring }) => {
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
          'It is checked whole: reachable steps, named branches, loops through a delay or wait only, contents that can be rendered; each problem names its step. It runs once it is enabled. Without `slug`, one is made of the name. `webhookSecret` signs what its webhook steps send and is shown only here.',
        body: FlowInput,
        response: { 201: CreatedFlow, ...failures(402, 409) },
      },
      preHandler: ({ contents, body }) => prepareDefinition(contents, body),
    },
    async ({ tx, contents, id: requestId, caller: { organizationId }, body }, reply) => {
      const { name, slug, description = null, enabled = false, ...given } = body
      const changing = { tx, organizationId, contents, keyring, requestId }
      const values = { name, slug, description, enabled }
      const { flow, webhookSecret } = await createFlow(changing, values, given)
      reply.code(201)
      return { ...(await viewOf(tx, organizationId, flow)), webhookSecret }
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
        description: 'Without their steps.',
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
    '/v1/workflows/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getWorkflow',
        summary: 'Get a workflow by id or slug, with its steps',
        description:
          'A UUID is our id, anything else a slug. Headers of webhook steps are read as `***`. `version` asks for the steps as they were.',
        params: IdParams,
        querystring: FlowVersionQuery,
        response: { 200: Flow },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query: { version } }) => {
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
    '/v1/workflows/:id',
    {
      config: writing,
      errorHandler: namingSteps,
      schema: {
        tags,
        operationId: 'updateWorkflow',
        summary: 'Change a workflow, by id or slug',
        description:
          'Only the given fields; `settings` are merged, lists are replaced. A changed definition is a new version: executions that run keep theirs. A header that is `***` keeps its value. Of an enabled workflow the new version must be able to run, too.',
        params: IdParams,
        body: FlowPatch,
        response: { 200: Flow, ...failures(409) },
      },
      preHandler: async ({ contents, caller: { organizationId, sql }, params: { id }, body }) => {
        const flow = await flows.find(sql, organizationId, id)
        const given = flow && patched(flow, body)
        if (given) await prepareDefinition(contents, given)
      },
    },
    async (request) => {
      const { contents, id: requestId, params, body } = request
      const { organizationId, sql } = request.caller
      const { id } = params
      const changed = await transact(sql, async (tx) => {
        const flow = await flows.lock(tx, organizationId, id)
        if (!flow) return undefined
        requireUnmodified(flow, body.ifUnmodifiedSince)
        const values = {
          name: body.name ?? flow.name,
          slug: body.slug ?? flow.slug,
          description: body.description === undefined ? flow.description : body.description,
          enabled: body.enabled ?? flow.enabled,
        }
        const changing = { tx, organizationId, contents, keyring, requestId }
        return changeFlow(changing, flow, values, patched(flow, body))
      }).catch((error: unknown) => {
        throw hasState(error, UNIQUE_VIOLATION) ? slugTaken('workflow') : error
      })
      if (!changed) throw await missing(sql, 'flow', organizationId, id)
      return viewOf(sql, organizationId, changed)
    },
  )

  app.delete(
    '/v1/workflows/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'deleteWorkflow',
        summary: 'Delete a workflow, by id or slug',
        description:
          'Nothing starts it any more, and its executions that are not over are cancelled (`workflow_deleted`) at their next step, or within a minute. Executions can be read still.',
        params: IdParams,
        response: { 200: Success },
      },
    },
    async ({ id: requestId, caller: { organizationId, sql }, params: { id } }) => {
      const isGone = await transact(sql, async (tx) => {
        const flow = await flows.lock(tx, organizationId, id)
        if (flow) await removeFlow({ tx, organizationId, keyring, requestId }, flow)
        return flow !== undefined
      })
      if (!isGone) throw await missing(sql, 'flow', organizationId, id)
      return { success: true as const }
    },
  )
}

/** 409 when it was written since the moment that the caller read it. */
function requireUnmodified({ updatedAt }: flows.FlowRow, since: string | undefined): void {
  if (since === undefined || Date.parse(updatedAt) <= Date.parse(since)) return
  throw conflict('Somebody has changed the workflow since', {
    reason: 'modified',
    details: [{ path: 'ifUnmodifiedSince', message: `is before ${updatedAt}` }],
  })
}

/** What a flow is to say after a patch; undefined when the patch says nothing of it. */
function patched(flow: flows.WholeFlow, body: FlowPatch) {
  const { triggerType, triggerConfig, steps, transitions, settings } = body
  const parts = [triggerType, triggerConfig, steps, transitions, settings]
  if (parts.every((part) => part === undefined)) return undefined
  const before = wireOf(flow.definition)
  const type = triggerType ?? before.triggerType
  const config = type === before.triggerType ? before.triggerConfig : {}
  return {
    triggerType: type,
    triggerConfig: triggerConfig ?? config,
    steps: steps ?? before.steps,
    transitions: transitions ?? before.transitions,
    settings: { ...before.settings, ...settings },
  }
}
