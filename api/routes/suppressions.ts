import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addressed } from '../../src/addresses.ts'
import { allows } from '../../src/domain/access.ts'
import { forbidden, notFound } from '../../src/domain/errors.ts'
import { Success } from '../../src/schemas/common.ts'
import {
  Suppression,
  SuppressionInput,
  SuppressionList,
  SuppressionListQuery,
  SuppressionParams,
} from '../../src/schemas/suppression.ts'
import * as consent from '../../src/store/consent.ts'
import { transact } from '../../src/store/sql.ts'
import * as suppressions from '../../src/store/suppressions.ts'
import { audit } from '../audit.ts'
import { decodeCursor } from '../cursor.ts'
import type { TenantDeps } from '../deps.ts'
import { pageOf } from '../pages.ts'

const tags = ['suppressions']
const writing = { scope: 'contacts' } as const
/** Who complained, or whom the provider refuses: mailing them again costs the account its name. */
const GRAVE: readonly suppressions.Reason[] = ['complained', 'suppressed']

/** Addresses that get no mail, whatever becomes of their contacts. */
export const suppressionRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { keyring, now },
) => {
  app.get(
    '/v1/suppressions',
    {
      config: { scope: ['read', 'contacts'] },
      schema: {
        tags,
        operationId: 'listSuppressions',
        summary: 'List the addresses that get no mail, newest first',
        description:
          '`email` finds one address, also one whose text was erased: it is known by its hash.',
        querystring: SuppressionListQuery,
        response: { 200: SuppressionList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor, reason, email } }) => {
      const scope = { list: 'suppressions', organizationId, filters: { reason, email } }
      const rows = await suppressions.list(sql, organizationId, {
        reason,
        address: email === undefined ? undefined : addressed(keyring, organizationId, email),
        before: decodeCursor(scope, cursor),
        limit: limit + 1,
      })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )

  app.post(
    '/v1/suppressions',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'suppressAddress',
        summary: 'Suppress an address',
        description:
          'The contact that has the address gets the reason as its `emailStatus`, unless it has a worse one. An address that is on the list already only gets a worse reason, never a better one: 200 with what holds.',
        body: SuppressionInput,
        response: { 200: Suppression, 201: Suppression },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, body }, reply) => {
      const { email, reason = 'unsubscribed' } = body
      const address = addressed(keyring, organizationId, email)
      await suppressions.lock(tx, organizationId, [address], 'update')
      const known = await suppressions.find(tx, organizationId, address)
      const raise: consent.Raise = { address, status: reason, source: 'api' }
      await consent.raise(tx, organizationId, [raise], requestId)
      const entry = await suppressions.find(tx, organizationId, address)
      if (!entry) throw new Error('an address that was put on the list is not on it')
      reply.code(known ? 200 : 201)
      return entry
    },
  )

  app.delete(
    '/v1/suppressions/:email',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'removeSuppression',
        summary: 'Take an address off the list',
        description:
          'Does not change the contact: one that left stays so until it is resubscribed. An entry for a complaint or a suppression by the provider needs the scope `full`. Noted in the audit events.',
        params: SuppressionParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { caller, params } = request
      const { organizationId, sql, scopes } = caller
      const address = addressed(keyring, organizationId, params.email)
      await transact(sql, async (tx) => {
        await suppressions.lock(tx, organizationId, [address], 'update')
        const entry = await suppressions.find(tx, organizationId, address)
        if (!entry) throw notFound('Suppression')
        if (GRAVE.includes(entry.reason) && !allows(scopes, 'full')) {
          throw forbidden(`An address that is ${entry.reason} is taken off with the scope "full"`, {
            reason: 'insufficient_scope',
            headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="full"' },
          })
        }
        await suppressions.remove(tx, organizationId, [address])
        const subject = { kind: 'suppression', id: entry.id }
        const detail = { reason: entry.reason }
        await audit(tx, request, now, { action: 'suppression.removed', subject, detail })
      })
      return { success: true as const }
    },
  )
}
