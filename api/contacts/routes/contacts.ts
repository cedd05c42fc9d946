import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addressed } from '../../../src/keys/addresses.ts'
import { allows } from '../../../src/domain/access/access.ts'
import type { Audience } from '../../../src/domain/audience/audience.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import {
  Contact,
  ContactInput,
  ContactList,
  ContactListQuery,
  ContactQuery,
} from '../../../src/schemas/contacts/contact.ts'
import { remove } from '../../../src/core/contacts/remove.ts'
import { upsertOnce } from '../../../src/core/contacts/upsert.ts'
import * as audiences from '../../../src/store/audience/audience.ts'
import * as contacts from '../../../src/store/contacts/contacts.ts'
import * as search from '../../../src/store/audience/search.ts'
import { wordOf } from '../../../src/store/audience/search-terms.ts'
import { type Sql, transact } from '../../../src/store/db/sql.ts'
import { requireInTime } from '../../../src/core/audience/members.ts'
import { requireAudience } from '../contact-filters.ts'
import { contactId, contactKeys, missingContact } from '../contact-keys.ts'
import { auditResubscription, contactResponse, unwrapWrite } from '../contact-outcomes.ts'
import { requireTopics, toNewContact } from '../../../src/core/contacts/input-rules.ts'
import { decodeCursor, encodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { createCounter } from '../../http/large-lists.ts'
import { MOST_COUNTED, pageFigures, requireOneOf } from '../../http/pages.ts'

const tags = ['contacts']
const reading = { scope: ['read', 'contacts'] } as const
const writing = { scope: 'contacts' } as const

export const contactRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { keyring, searchSql, now },
) => {
  const counter = createCounter(now)

  app.post(
    '/v1/contacts',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'createContact',
        summary: 'Create a contact',
        description:
          '`email` or `phone` is required. `externalId`, `email` and `phone` are unique in an organization. If one is taken, the request fails with 409, which names the field and the contact but never the value. An address or number on the suppression list gets its status from there, and the response has `emailStatusKept` or `smsStatusKept`.',
        body: ContactInput,
        response: { 201: Contact, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { tx, caller, body, id: requestId } = request
      const { organizationId, scopes } = caller
      const values = { ...toNewContact(body), resubscribe: body.resubscribe }
      const topicIds = await requireTopics(tx, organizationId, body)
      const row = { index: 0, values, topicIds }
      const upserted = await upsertOnce(tx, organizationId, [row], {
        mode: 'create',
        source: 'api',
        addressOf: (email) => addressed(keyring, organizationId, email),
        mayLift: allows(scopes, 'full'),
        // Its keys are seldom taken: it is inserted without a look at who has them.
        expectsNew: true,
        requestId,
      })
      const { resubscribedFrom, pendingTopics, ...writtenContact } = unwrapWrite(upserted, caller)
      for (const from of resubscribedFrom) {
        await auditResubscription(tx, request, now, { id: writtenContact.id, from })
      }
      const contact = await contactResponse(tx, organizationId, writtenContact)
      reply.code(201)
      return pendingTopics.length === 0 ? contact : { ...contact, pendingTopics }
    },
  )

  app.get(
    '/v1/contacts',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listContacts',
        summary: 'List contacts, newest first',
        description:
          'Use pages or cursors. A cursor neither skips nor repeats contacts while others are written. Contacts are counted up to 10,000. Above that, `totalIsExact` is false. A search among more contacts stops counting when its page is full. If no new contact matches a search, contacts are searched in stretches of 50,000: a page may be empty and still have a next page.',
        querystring: ContactListQuery,
        response: { 200: ContactList, ...failures(402) },
      },
    },
    async ({ caller: { organizationId, sql }, query }) => {
      const { page, pageSize, cursor, search: term, ...filters } = query
      requireOneOf(page, cursor)
      const scope = { list: 'contacts', organizationId, filters: { ...filters, search: term } }
      const before = decodeCursor(scope, cursor)
      const audience = await requireAudience(sql, organizationId, filters, now())
      const word = wordOf(term ?? '')
      const bounds = { audience, before, page, pageSize }
      const key = JSON.stringify([organizationId, filters])
      // A condition is asked as searches are: under the same time limit, outside of policies.
      const reader = filters.segmentId === undefined ? sql : searchSql
      const { rows, next, ...counts } = await requireInTime(
        'segmentId',
        word === ''
          ? list(reader, organizationId, bounds, key)
          : search.contacts(searchSql, organizationId, { ...bounds, search: word }),
      )
      const figures = pageFigures({ page, pageSize, hasMore: next !== undefined, ...counts })
      const nextCursor = next === undefined ? null : encodeCursor(scope, next)
      return { contacts: rows, page, pageSize, ...figures, nextCursor }
    },
  )

  app.get(
    '/v1/contacts/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getContact',
        summary: 'Get a contact by id, email or externalId',
        description:
          'A UUID is the contact’s id or an `externalId`. A value with `@` is an email address. Any other value is an `externalId`. `by` forces one of them.',
        params: IdParams,
        querystring: ContactQuery,
        response: { 200: Contact },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query: { by } }) => {
      for (const key of contactKeys({ id, by })) {
        const contact = await contacts.find(sql, organizationId, key)
        if (contact) return contact
      }
      throw await missingContact(sql, organizationId, { id, by })
    },
  )

  app.delete(
    '/v1/contacts/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'deleteContact',
        summary: 'Delete a contact',
        description:
          'Deletes the contact with its subscriptions and counters. The suppression list keeps the address, so a new contact with it is not mailed either.',
        params: IdParams,
        querystring: ContactQuery,
        response: { 200: Success },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query: { by }, id: requestId }) => {
      await transact(sql, async (tx) => {
        const contactUuid = await contactId(tx, organizationId, { id, by })
        const count = await remove(tx, organizationId, [contactUuid], requestId)
        if (count === 0) throw await missingContact(tx, organizationId, { id, by })
      })
      return { success: true as const }
    },
  )

  async function list(sql: Sql, organizationId: Uuid, bounds: Bounds, key: string) {
    const { audience, before, page, pageSize } = bounds
    const range = { before, limit: pageSize + 1, offset: (page - 1) * pageSize }
    const [rows, count] = await Promise.all([
      audiences.list(sql, organizationId, audience, range),
      counter(key, () => audiences.count(sql, organizationId, audience, MOST_COUNTED + 1)),
    ])
    const pageRows = rows.slice(0, pageSize)
    return {
      rows: pageRows,
      next: rows.length > pageSize ? pageRows.at(-1)?.id : undefined,
      counted: count,
    }
  }
}

interface Bounds {
  audience: Audience
  before: Uuid | undefined
  page: number
  pageSize: number
}
