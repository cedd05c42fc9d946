import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createKey, renameKey, revokeKey } from '../../../src/core/access/api-keys.ts'
import {
  ApiKey,
  ApiKeyInput,
  ApiKeyList,
  ApiKeyListQuery,
  ApiKeyPatch,
  NewApiKey,
} from '../../../src/schemas/access/api-key.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import * as apiKeys from '../../../src/store/access/api-keys.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { actorOf } from '../audit.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { pageOf } from '../../http/pages.ts'

const tags = ['account']
const config = { scope: 'keys' } as const

export const apiKeyRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.get(
    '/v1/api-keys',
    {
      config: { scope: 'full' },
      schema: {
        tags,
        operationId: 'listApiKeys',
        summary: 'List API keys, newest first',
        description:
          'Includes revoked keys. The keys themselves are not stored and cannot be returned, only their first characters.',
        querystring: ApiKeyListQuery,
        response: { 200: ApiKeyList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor } }) => {
      const scope = { list: 'api-keys', organizationId, filters: {} }
      const before = decodeCursor(scope, cursor)
      const rows = await apiKeys.list(sql, organizationId, { before, limit: limit + 1 })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )

  app.post(
    '/v1/api-keys',
    {
      config: { ...config, secrets: ['key'] },
      schema: {
        tags,
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description:
          'The response contains the key. Store it now: it cannot be shown again, since only its hash is stored. The scopes of a key cannot be changed.',
        body: ApiKeyInput,
        response: { 201: NewApiKey },
      },
    },
    async (request, reply) => {
      const { tx, caller, body } = request
      reply.code(201)
      return createKey(tx, caller.organizationId, body, actorOf(request, now))
    },
  )

  app.patch(
    '/v1/api-keys/:id',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'renameApiKey',
        summary: 'Rename an API key',
        description: 'Only the name can be changed. Other fields are ignored.',
        params: IdParams,
        body: ApiKeyPatch,
        response: { 200: ApiKey },
      },
    },
    async (request) => {
      const { organizationId, sql } = request.caller
      const change = { id: request.params.id, name: request.body.name }
      return transact(sql, (tx) => renameKey(tx, organizationId, change, actorOf(request, now)))
    },
  )

  app.delete(
    '/v1/api-keys/:id',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description:
          'The key stops working everywhere within a second and cannot be restored. Its record stays. Repeated requests have no further effect.',
        params: IdParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { id } = request.params
      const { organizationId, sql } = request.caller
      await transact(sql, (tx) => revokeKey(tx, organizationId, id, actorOf(request, now)))
      return { success: true as const }
    },
  )
}
