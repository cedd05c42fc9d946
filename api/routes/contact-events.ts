import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams } from '../../src/schemas/common.ts'
import { ContactEventList, ContactEventQuery } from '../../src/schemas/contact-change.ts'
import { listOfContact } from '../../src/store/contact-timeline.ts'
import { contactId } from '../contact-keys.ts'
import { decodeCursor } from '../cursor.ts'
import type { TenantDeps } from '../deps.ts'
import { pageOf } from '../pages.ts'

/** What happened to one contact. */
export const contactEventRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.get(
    '/v1/contacts/:id/events',
    {
      config: { scope: ['read', 'contacts'] },
      schema: {
        tags: ['contacts'],
        operationId: 'listContactEvents',
        summary: 'List what happened to a contact, newest first',
        description:
          'What became of their consent, of single topics and of all mail, and by what; and the events that your own programs told of them.',
        params: IdParams,
        querystring: ContactEventQuery,
        response: { 200: ContactEventList },
      },
    },
    async ({ caller: { organizationId, sql }, params, query: { by, limit, cursor } }) => {
      const id = await contactId(sql, organizationId, { ...params, by })
      const scope = { list: 'contact-events', organizationId, filters: { id } }
      const before = decodeCursor(scope, cursor)
      const rows = await listOfContact(sql, organizationId, id, { before, limit: limit + 1 })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )
}
