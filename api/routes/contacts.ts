import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addressed } from '../../src/addresses.ts'
import { allows } from '../../src/domain/access.ts'
import { badRequest } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/ids.ts'
import { IdParams, Success } from '../../src/schemas/common.ts'
import {
  Contact,
  ContactInput,
  ContactList,
  ContactListQuery,
  ContactQuery,
} from '../../src/schemas/contact.ts'
import type { ContactFilters } from '../../src/store/contact-rows.ts'
import { remove } from '../../src/store/contact-statements.ts'
import * as contactWrites from '../../src/store/contact-writes.ts'
import * as contacts from '../../src/store/contacts.ts'
import * as search from '../../src/store/search.ts'
import { wordOf } from '../../src/store/search-words.ts'
import { type Sql, transact } from '../../src/store/sql.ts'
import * as topics from '../../src/store/topics.ts'
import { contactId, contactKeys, missingContact } from '../contact-keys.ts'
import { auditResubscription, lostRace, requireMade, written } from '../contact-outcomes.ts'
import { ruledContact, ruledTopics } from '../contact-rules.ts'
import { decodeCursor } from '../cursor.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { createCounter } from '../large-lists.ts'
import { MOST_COUNTED, pageFigures, pageOf } from '../pages.ts'
import { requireFeature } from '../plan.ts'
import { timeParameter } from '../times.ts'

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
          'One of `email` and `phone` is needed. `externalId`, `email` and `phone` are unique in an organization: a 409 says which is taken and by which contact, and never the value. An address on the suppression list has its status from there: `emailStatusKept`.',
        body: ContactInput,
        response: { 201: Contact, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { tx, caller, body, id: requestId } = request
      const { organizationId, scopes } = caller
      const values = ruledContact(body)
      const outcome = await contactWrites.create(tx, organizationId, values, {
        topicIds: (await ruledTopics(tx, organizationId, body)) ?? [],
        addressOf: (email) => addressed(keyring, organizationId, email),
        resubscribe: body.resubscribe ?? false,
        mayLift: allows(scopes, 'full'),
        requestId,
      })
      if (outcome.outcome === 'lost') throw lostRace()
      const made = requireMade(outcome, caller)
      if (made.resubscribedFrom !== null) {
        await auditResubscription(tx, request, now, { id: made.id, from: made.resubscribedFrom })
      }
      const { pendingTopics } = made
      const contact = await written(tx, organizationId, made)
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
          'By page or by cursor; a cursor neither skips nor repeats a contact while others are written. Totals are exact to 10,000; a search among more contacts than that stops counting where its page is full, which `totalIsExact` says.',
        querystring: ContactListQuery,
        response: { 200: ContactList, ...failures(402) },
      },
    },
    async ({ caller: { organizationId, sql }, query }) => {
      const { page, pageSize, cursor, segmentId, search: term, ...given } = query
      const filters = {
        ...given,
        createdAfter: timeParameter('createdAfter', given.createdAfter),
        updatedAfter: timeParameter('updatedAfter', given.updatedAfter),
      }
      if (cursor !== undefined && page > 1) {
        throw badRequest('The query parameters page and cursor exclude each other', [
          { path: 'page', message: 'cannot go with a cursor' },
        ])
      }
      const scope = { list: 'contacts', organizationId, filters: { ...filters, search: term } }
      const place = {
        before: decodeCursor(scope, cursor),
        limit: pageSize + 1,
        offset: (page - 1) * pageSize,
      }
      if (segmentId !== undefined) {
        await requireFeature(sql, organizationId, 'segments')
        throw unknownFilter('segmentId')
      }
      await requireTopic(sql, organizationId, filters.topicId)
      const word = wordOf(term ?? '')
      const { rows, ...counted } =
        word === ''
          ? await list(sql, organizationId, filters, place)
          : await search.contacts(searchSql, organizationId, { ...filters, ...place, search: word })
      const { page: found, nextCursor } = pageOf(rows, pageSize, scope)
      return {
        contacts: found,
        page,
        pageSize,
        ...pageFigures({ page, pageSize, found: rows.length, ...counted }),
        nextCursor,
      }
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
          'A UUID is our id, then an `externalId`; what contains `@` is an email address; anything else is an `externalId`. `by` forces one of them.',
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
          'With its subscriptions and figures. The suppression list keeps its address: made again, it is not mailed either.',
        params: IdParams,
        querystring: ContactQuery,
        response: { 200: Success },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query: { by }, id: requestId }) => {
      await transact(sql, async (tx) => {
        const found = await contactId(tx, organizationId, { id, by })
        const count = await remove(tx, organizationId, [found], requestId)
        if (count === 0) throw await missingContact(tx, organizationId, { id, by })
      })
      return { success: true as const }
    },
  )

  async function list(sql: Sql, organizationId: Uuid, filters: ContactFilters, place: Place) {
    const [rows, counted] = await Promise.all([
      contacts.list(sql, organizationId, { ...filters, ...place }),
      counter(JSON.stringify([organizationId, filters]), () =>
        contacts.count(sql, organizationId, filters, MOST_COUNTED + 1),
      ),
    ])
    return { rows, counted }
  }
}

interface Place {
  before: Uuid | undefined
  limit: number
  offset: number
}

async function requireTopic(sql: Sql, organizationId: Uuid, topicId: string | undefined) {
  if (topicId === undefined) return
  const { unknown } = await topics.resolve(sql, organizationId, { topicIds: [topicId] })
  if (unknown.length > 0) throw unknownFilter('topicId')
}

const unknownFilter = (path: string) =>
  badRequest(`The query parameter ${path} names nothing that exists`, [
    { path, message: 'does not exist' },
  ])
