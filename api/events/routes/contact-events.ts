import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bucketStart } from '../../../src/runtime/ids.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import {
  ContactEventList,
  ContactEventQuery,
} from '../../../src/schemas/contacts/contact-change.ts'
import { listOfContact } from '../../../src/store/events/contact-timeline.ts'
import { contactId } from '../../contacts/contact-keys.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { pageOf } from '../../http/pages.ts'
import { shownSince } from '../../../src/core/access/plan.ts'

export const contactEventRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.get(
    '/v1/contacts/:id/events',
    {
      config: { scope: ['read', 'contacts'] },
      schema: {
        tags: ['contacts'],
        operationId: 'listContactEvents',
        summary: 'List the events of a contact, newest first',
        description:
          'Returns changes of consent, for single topics and all mail, with their sources, and your custom events within the retention of your plan.',
        params: IdParams,
        querystring: ContactEventQuery,
        response: { 200: ContactEventList },
      },
    },
    async ({ caller: { organizationId, sql }, params, query: { by, limit, cursor } }) => {
      const id = await contactId(sql, organizationId, { ...params, by })
      const scope = { list: 'contact-events', organizationId, filters: { id } }
      const before = decodeCursor(scope, cursor)
      const lowest = bucketStart(await shownSince(sql, organizationId, now()))
      const rows = await listOfContact(sql, organizationId, id, {
        before,
        limit: limit + 1,
        lowest,
      })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )
}
