import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { refuse } from '../../../src/domain/errors.ts'
import { isUuid, uuidv7 } from '../../../src/ids.ts'
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
import { newApiKey } from '../../../src/tokens.ts'
import { audit } from '../audit.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { missing } from '../../../src/core/access/ownership.ts'
import { pageOf } from '../../http/pages.ts'
import { toUtc } from '../../../src/domain/times.ts'

const tags = ['account']
const config = { scope: 'keys' } as const

/** Keys for programs. People make and revoke them; `full` keys may look. */
export const apiKeyRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.get(
    '/v1/api-keys',
    {
      config: { scope: 'full' },
      schema: {
        tags,
        operationId: 'listApiKeys',
        summary: 'List API keys, newest first, revoked ones too',
        description: 'Never with the keys themselves: only their first characters are known.',
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
        summary: 'Make an API key; it is shown only now',
        description: 'Keep it now: only its hash is stored. Its scopes cannot be changed later.',
        body: ApiKeyInput,
        response: { 201: NewApiKey },
      },
    },
    async (request, reply) => {
      const { tx, caller, body } = request
      const { key, prefix, hash } = newApiKey()
      const created = await apiKeys.create(tx, {
        organizationId: caller.organizationId,
        id: uuidv7(),
        name: body.name,
        prefix,
        hash,
        scopes: body.scopes ?? ['full'],
        expiresAt: endOf(body.expiresAt, now()),
      })
      await audit(tx, request, now, {
        action: 'api_key.created',
        subject: { kind: 'api_key', id: created.id },
        detail: { scopes: created.scopes },
      })
      reply.code(201)
      return { ...created, key }
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
        description: 'Only the name can change; the other fields are ignored.',
        params: IdParams,
        body: ApiKeyPatch,
        response: { 200: ApiKey },
      },
    },
    async (request) => {
      const { id } = request.params
      const { name } = request.body
      const { organizationId, sql } = request.caller
      const renamed = isUuid(id)
        ? await transact(sql, async (tx) => {
            const key = await apiKeys.rename(tx, { organizationId, id, name })
            const subject = { kind: 'api_key', id }
            if (key) await audit(tx, request, now, { action: 'api_key.renamed', subject })
            return key
          })
        : undefined
      return renamed ?? Promise.reject(await missing(sql, 'api_key', organizationId, id))
    },
  )

  app.delete(
    '/v1/api-keys/:id',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key for ever; again changes nothing',
        description: 'It stops working within a second everywhere. Its record stays.',
        params: IdParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { id } = request.params
      const { organizationId, sql } = request.caller
      const revoked = isUuid(id)
        ? await transact(sql, async (tx) => {
            const wasLive = await apiKeys.revoke(tx, organizationId, id)
            const subject = { kind: 'api_key', id }
            if (wasLive === true) {
              await audit(tx, request, now, { action: 'api_key.revoked', subject })
            }
            return wasLive
          })
        : undefined
      if (revoked === undefined) throw await missing(sql, 'api_key', organizationId, id)
      return { success: true as const }
    },
  )
}

function endOf(given: string | undefined, now: number): string | undefined {
  if (given === undefined) return undefined
  const utc = toUtc(given) ?? refuse('expiresAt', 'is not a time we can keep')
  if (Date.parse(utc) <= now) refuse('expiresAt', 'lies in the past')
  return utc
}
