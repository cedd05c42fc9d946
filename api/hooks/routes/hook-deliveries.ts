import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { missing } from '../../../src/core/access/ownership.ts'
import { testEndpoint } from '../../../src/core/hooks/endpoints.ts'
import { replayDelivery, replayPeriod } from '../../../src/core/hooks/replay.ts'
import { isUuid } from '../../../src/runtime/ids.ts'
import { HookDeliveryParams, IdParams } from '../../../src/schemas/common.ts'
import {
  HookDelivery,
  HookDeliveryList,
  HookDeliveryListQuery,
  HookReplay,
  HookReplayInput,
  HookTest,
  HookTestInput,
} from '../../../src/schemas/hooks/hook-delivery.ts'
import * as hookDeliveries from '../../../src/store/hooks/hook-deliveries.ts'
import * as hookEndpoints from '../../../src/store/hooks/hook-endpoints.ts'
import type { TenantDeps } from '../../deps.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { failures } from '../../http/failures.ts'
import { pageOf } from '../../http/pages.ts'
import { hookContextOf } from '../hook-context.ts'

const tags = ['webhook-endpoints']
const config = { scope: 'full' } as const

/** Deliveries to webhook endpoints, and their replay. */
export const hookDeliveryRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  app.get(
    '/v1/webhook-endpoints/:id/deliveries',
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhookDeliveries',
        summary: 'List the deliveries of a webhook endpoint, newest first',
        description: 'Deliveries are kept for 14 days, with the last calls of each.',
        params: IdParams,
        querystring: HookDeliveryListQuery,
        response: { 200: HookDeliveryList },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query }) => {
      const { limit, cursor, state, type } = query
      const endpoint = isUuid(id) ? await hookEndpoints.find(sql, organizationId, id) : undefined
      if (!endpoint) throw await missing(sql, 'webhook_endpoint', organizationId, id)
      const filters = { endpointId: endpoint.id, state, type }
      const scope = { list: 'webhook-deliveries', organizationId, filters }
      const before = decodeCursor(scope, cursor)
      const page = { ...filters, before, limit: limit + 1 }
      const rows = await hookDeliveries.list(sql, organizationId, page)
      const { page: data, nextCursor } = pageOf(rows, limit, scope)
      return { data, nextCursor }
    },
  )

  app.post(
    '/v1/webhook-endpoints/:id/test',
    {
      config,
      schema: {
        tags,
        operationId: 'testWebhookEndpoint',
        summary: 'Send a sample event to a webhook endpoint',
        description:
          'The event has sample data with `test: true`. It is sent once, even if the endpoint is disabled or keeps failing. If it succeeds, waiting events follow at once. Its outcome is in the list of deliveries.',
        params: IdParams,
        body: HookTestInput,
        response: { 202: HookTest },
      },
    },
    async (request, reply) => {
      const { tx, params, body } = request
      reply.code(202)
      return testEndpoint(hookContextOf(request, tx, deps), params.id, body?.type)
    },
  )

  app.post(
    '/v1/webhook-endpoints/:id/replay',
    {
      config,
      schema: {
        tags,
        operationId: 'replayWebhookDeliveries',
        summary: 'Send deliveries of a period again',
        description:
          'Queues failed deliveries again, oldest first, or those in other `states`. Events keep their ids. One call queues up to 10,000: repeat it while `more` is true.',
        params: IdParams,
        body: HookReplayInput,
        response: { 202: HookReplay },
      },
    },
    async (request, reply) => {
      const { tx, params, body } = request
      reply.code(202)
      return replayPeriod(hookContextOf(request, tx, deps), params.id, body)
    },
  )

  app.post(
    '/v1/webhook-endpoints/:id/deliveries/:deliveryId/replay',
    {
      config,
      schema: {
        tags,
        operationId: 'replayWebhookDelivery',
        summary: 'Send a delivery again',
        description:
          'The event keeps its id. What it says is made anew of what is stored now. 409 `delivery_pending` if it still waits.',
        params: HookDeliveryParams,
        response: { 202: HookDelivery, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { tx, params } = request
      reply.code(202)
      return replayDelivery(hookContextOf(request, tx, deps), params.id, params.deliveryId)
    },
  )
}
