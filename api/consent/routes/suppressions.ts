import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addressed } from '../../../src/keys/addresses.ts'
import { allows } from '../../../src/domain/access/access.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { Success } from '../../../src/schemas/common.ts'
import {
  Suppression,
  SuppressionInput,
  SuppressionList,
  SuppressionListQuery,
  SuppressionParams,
} from '../../../src/schemas/consent/suppression.ts'
import { removeSuppression, suppressAddress } from '../../../src/core/consent/suppressions.ts'
import { transact } from '../../../src/store/db/sql.ts'
import * as suppressions from '../../../src/store/consent/suppressions.ts'
import { audit } from '../../access/audit.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { HttpError } from '../../http/http-error.ts'
import type { TenantDeps } from '../../deps.ts'
import { pageOf } from '../../http/pages.ts'

const tags = ['suppressions']
const writing = { scope: 'contacts' } as const
/** Returns whether mailing the address again would harm the account's reputation. */
const isGrave = ({ reason, source }: Suppression): boolean =>
  reason === 'complained' || (reason === 'suppressed' && source === 'event')

/** Addresses that receive no mail, whether or not a contact has them. */
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
        summary: 'List suppressed addresses, newest first',
        description:
          '`email` returns the entry of one address. It also finds entries whose address was erased, by its hash.',
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
          'The default reason is `suppressed`: the address never receives mail again. A contact with this address gets the reason as its `emailStatus`, unless it has a worse one. If the address is on the list already, its reason can only become worse. The response is then 200 with the effective entry.',
        body: SuppressionInput,
        response: { 200: Suppression, 201: Suppression },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, body }, reply) => {
      const { email, reason = 'suppressed' } = body
      const address = addressed(keyring, organizationId, email)
      const suppression = { address, reason }
      const { entry, isNew } = await suppressAddress(tx, organizationId, suppression, requestId)
      reply.code(isNew ? 201 : 200)
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
        summary: 'Remove an address from the suppression list',
        description:
          'Does not change the contact: a contact who unsubscribed must be resubscribed. Entries for complaints and for suppressions by the provider require the scope `full`. The removal is recorded in the audit events.',
        params: SuppressionParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { caller, params } = request
      const { organizationId, sql, scopes } = caller
      const address = addressed(keyring, organizationId, params.email)
      await transact(sql, async (tx) => {
        const entry = await removeSuppression(tx, organizationId, address, (suppression) => {
          if (!isGrave(suppression) || allows(scopes, 'full')) return
          const message = `An address that is ${suppression.reason} is taken off with the scope "full"`
          throw new HttpError('FORBIDDEN', message, {
            reason: 'insufficient_scope',
            headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="full"' },
          })
        })
        if (!entry) throw notFound('Suppression')
        const subject = { kind: 'suppression', id: entry.id }
        const detail = { reason: entry.reason }
        await audit(tx, request, now, { action: 'suppression.removed', subject, detail })
      })
      return { success: true as const }
    },
  )
}
