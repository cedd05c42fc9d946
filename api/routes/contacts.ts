import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { addressed } from '../../src/addresses.ts'
import { allows } from '../../src/domain/access.ts'
import { badRequest, conflict } from '../../src/domain/errors.ts'
import { isUuid, type Uuid, uuidv7 } from '../../src/ids.ts'
import { IdParams } from '../../src/schemas/common.ts'
import {
  Contact,
  ContactBatchInput,
  ContactBatchResult,
  type ContactBatchRow,
  ContactInput,
  ContactList,
  ContactListQuery,
  ContactQuery,
} from '../../src/schemas/contact.ts'
import { type UpsertRow, upsert } from '../../src/store/contact-upserts.ts'
import * as contacts from '../../src/store/contacts.ts'
import { LARGE_BODY_LIMIT } from '../bodies.ts'
import type { Transaction } from '../../src/store/sql.ts'
import { applyContactRules, ruledContact, sentence } from '../contact-rules.ts'
import { decodeCursor } from '../cursor.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { missing } from '../ownership.ts'
import { MOST_COUNTED, pageFigures, pageOf } from '../pages.ts'
import { timeParameter } from '../times.ts'

const tags = ['contacts']
const reading = { scope: ['read', 'contacts'] } as const
const writing = { scope: 'contacts' } as const

export const contactRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { keyring }) => {
  app.post(
    '/v1/contacts',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'createContact',
        summary: 'Create a contact',
        description:
          'One of `email` and `phone` is needed. `externalId`, `email` and `phone` are unique in an organization: a 409 says which is taken and by which contact, and never the value.',
        body: ContactInput,
        response: { 201: Contact, ...failures(409) },
      },
    },
    async ({ tx, caller, body }, reply) => {
      const contact = await create(tx, caller.organizationId, ruledContact(body))
      reply.code(201)
      return contact
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
          'By page or by cursor; a cursor neither skips nor repeats a contact while others are written. Totals are exact to 10,000.',
        querystring: ContactListQuery,
        response: { 200: ContactList },
      },
    },
    async ({ caller: { organizationId, sql }, query }) => {
      const { page, pageSize, cursor, ...given } = query
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
      const scope = { list: 'contacts', organizationId, filters }
      const before = decodeCursor(scope, cursor)
      const [rows, counted] = await Promise.all([
        contacts.list(sql, organizationId, {
          ...filters,
          before,
          limit: pageSize + 1,
          offset: (page - 1) * pageSize,
        }),
        contacts.count(sql, organizationId, filters, MOST_COUNTED + 1),
      ])
      const { page: found, nextCursor } = pageOf(rows, pageSize, scope)
      return {
        contacts: found,
        page,
        pageSize,
        ...pageFigures({ page, pageSize, found: rows.length, counted }),
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
      for (const key of contactKeys(id, by)) {
        const contact = await contacts.find(sql, organizationId, key)
        if (contact) return contact
      }
      // An address or external id only ever means one of one's own contacts.
      const owned = by === undefined || by === 'id' ? id : ''
      throw await missing(sql, 'contact', organizationId, owned)
    },
  )

  app.post(
    '/v1/contacts/batch',
    {
      config: writing,
      bodyLimit: LARGE_BODY_LIMIT,
      schema: {
        tags,
        operationId: 'upsertContacts',
        summary: 'Create or update up to 1,000 contacts',
        description:
          'Each row is created, or updates the contact that has its `externalId`, `email` or `phone`. Good rows are kept when others fail. Asking for `active` does not bring back who has left: `emailStatusKept` says so.',
        body: ContactBatchInput,
        response: { 200: ContactBatchResult },
      },
    },
    async ({ tx, caller: { organizationId, scopes }, body, id: requestId }) => {
      const refused: ContactBatchRow[] = []
      const accepted: UpsertRow[] = []
      for (const [index, input] of body.contacts.entries()) {
        const ruled = applyContactRules(input)
        if (ruled.details === undefined) accepted.push({ index, values: ruled.values })
        else refused.push({ index, id: null, status: 'failed', error: sentence(ruled.details) })
      }
      const { results: kept } = await upsert(tx, organizationId, accepted, {
        addressOf: (email) => addressed(keyring, organizationId, email),
        source: 'api',
        mayLift: allows(scopes, 'full'),
        requestId,
      })
      const results = [...kept, ...refused].sort((a, b) => a.index - b.index)
      const having = (status: string) => results.filter((row) => row.status === status).length
      const failed = having('failed')
      return {
        success: failed === 0,
        created: having('created'),
        updated: having('updated'),
        failed,
        results,
      }
    },
  )

  /** Tries again when the contact that stood in the way is gone by the time it is looked for. */
  async function create(
    sql: Transaction,
    organizationId: Uuid,
    values: contacts.ContactValues,
  ): Promise<Contact> {
    const TRIES = 3
    for (let tries = 1; tries <= TRIES; tries++) {
      const created = await contacts.create(sql, organizationId, uuidv7(), values)
      if (created) return created
      const taken = await contacts.findTaken(sql, organizationId, values)
      if (taken) throw alreadyTaken(taken)
    }
    throw conflict('This contact is being written by others: try again', { reason: 'lost_race' })
  }
}

/** What a path parameter may mean, in the order in which it is tried. */
export function contactKeys(id: string, by: 'id' | 'email' | 'externalId' | undefined) {
  const email = { email: id.trim().toLowerCase() }
  const externalId = { externalId: id }
  if (by === 'id') return isUuid(id) ? [{ id }] : []
  if (by === 'email') return [email]
  if (by === 'externalId') return [externalId]
  if (isUuid(id)) return [{ id }, externalId]
  return id.includes('@') ? [email] : [externalId]
}

const REASONS = {
  externalId: 'external_id_taken',
  email: 'email_taken',
  phone: 'phone_taken',
} as const

/** Names the field and never its value, which may be somebody's address. */
const alreadyTaken = ({ id, field }: { id: Uuid; field: contacts.UniqueField }) =>
  conflict(`Another contact has this ${field} already`, {
    reason: REASONS[field],
    details: [{ path: field, message: 'is taken', contactId: id }],
  })
