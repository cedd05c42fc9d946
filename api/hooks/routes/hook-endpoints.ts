import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { missing } from '../../../src/core/access/ownership.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  rotateEndpointSecret,
} from '../../../src/core/hooks/endpoints.ts'
import { isUuid } from '../../../src/runtime/ids.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import {
  HookEndpoint,
  HookEndpointInput,
  HookEndpointList,
  HookEndpointListQuery,
  HookEndpointPatch,
  HookSecret,
  NewHookEndpoint,
} from '../../../src/schemas/hooks/hook-endpoint.ts'
import { transact } from '../../../src/store/db/sql.ts'
import * as hookEndpoints from '../../../src/store/hooks/hook-endpoints.ts'
import type { TenantDeps } from '../../deps.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { failures } from '../../http/failures.ts'
import { pageOf } from '../../http/pages.ts'
import { hookContextOf } from '../hook-context.ts'

const tags = ['webhook-endpoints']
const config = { scope: 'full' } as const

export const hookEndpointRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  app.get(
    '/v1/webhook-endpoints',
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhookEndpoints',
        summary: 'List webhook endpoints, newest first',
        description: 'Each with how its calls went in the last 24 hours and what waits for it.',
        querystring: HookEndpointListQuery,
        response: { 200: HookEndpointList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor } }) => {
      const scope = { list: 'webhook-endpoints', organizationId, filters: {} }
      const before = decodeCursor(scope, cursor)
      const rows = await hookEndpoints.list(sql, organizationId, { before, limit: limit + 1 })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )

  app.get(
    '/v1/webhook-endpoints/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getWebhookEndpoint',
        summary: 'Get a webhook endpoint',
        description: 'With how its calls went in the last 24 hours and what waits for it.',
        params: IdParams,
        response: { 200: HookEndpoint },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) => {
      const endpoint = isUuid(id) ? await hookEndpoints.find(sql, organizationId, id) : undefined
      if (!endpoint) throw await missing(sql, 'webhook_endpoint', organizationId, id)
      return endpoint
    },
  )

  app.post(
    '/v1/webhook-endpoints',
    {
      config: { ...config, secrets: ['secret'] },
      schema: {
        tags,
        operationId: 'createWebhookEndpoint',
        summary: 'Create a webhook endpoint',
        description:
          'From now on, each event of `eventTypes` is posted to `url`, at least once and in no particular order. The response contains the secret that verifies the signatures: store it now, since it cannot be shown again. An organization can have 10 endpoints (409 `endpoint_limit`).',
        body: HookEndpointInput,
        response: { 201: NewHookEndpoint, ...failures(409) },
      },
    },
    async (request, reply) => {
      reply.code(201)
      return createEndpoint(hookContextOf(request, request.tx, deps), request.body)
    },
  )

  app.patch(
    '/v1/webhook-endpoints/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'updateWebhookEndpoint',
        summary: 'Change, disable or enable a webhook endpoint',
        description:
          'Only the given fields change. While an endpoint is disabled, its events are held for three days. `enabled: true` sends them, or drops them with `held: "drop"`. Other read-only fields are ignored.',
        params: IdParams,
        body: HookEndpointPatch,
        response: { 200: HookEndpoint },
      },
    },
    async (request) => {
      const { caller, params, body } = request
      return transact(caller.sql, (tx) =>
        changeEndpoint(hookContextOf(request, tx, deps), params.id, body),
      )
    },
  )

  app.delete(
    '/v1/webhook-endpoints/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteWebhookEndpoint',
        summary: 'Delete a webhook endpoint',
        description: 'Events that wait for it are not sent any more. A call under way may end.',
        params: IdParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { caller, params } = request
      await transact(caller.sql, (tx) =>
        deleteEndpoint(hookContextOf(request, tx, deps), params.id),
      )
      return { success: true as const }
    },
  )

  app.post(
    '/v1/webhook-endpoints/:id/rotate-secret',
    {
      config: { ...config, secrets: ['secret'] },
      schema: {
        tags,
        operationId: 'rotateWebhookEndpointSecret',
        summary: 'Get another secret for a webhook endpoint',
        description:
          'For 24 hours calls are signed with the previous secret as well, so that the receiver can change over without losing an event. The secret is shown only here.',
        params: IdParams,
        response: { 200: HookSecret },
      },
    },
    async (request) => {
      const rotated = await rotateEndpointSecret(
        hookContextOf(request, request.tx, deps),
        request.params.id,
      )
      return { success: true as const, ...rotated }
    },
  )
}
