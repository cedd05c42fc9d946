import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { addressed } from '../../../src/keys/addresses.ts'
import { allows } from '../../../src/domain/access/access.ts'
import { badRequest } from '../../../src/domain/errors.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import {
  ContactPatch,
  ContactReplacement,
  ContactTopicsInput,
} from '../../../src/schemas/contacts/contact-change.ts'
import { Contact, ContactQuery } from '../../../src/schemas/contacts/contact.ts'
import type { ContactChanges } from '../../../src/domain/contacts/contact-changes.ts'
import { setTopics } from '../../../src/core/contacts/topics.ts'
import { upsertOnce } from '../../../src/core/contacts/upsert.ts'
import type { TopicNames } from '../../../src/store/consent/topics.ts'
import { type ContactName, contactId, missingContact } from '../contact-keys.ts'
import {
  auditResubscription,
  contactResponse,
  retryOnConflict,
  unwrapWrite,
} from '../contact-outcomes.ts'
import { requireTopics, toChanges, toReplacement } from '../../../src/core/contacts/input-rules.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'

const tags = ['contacts']
const writing = { scope: 'contacts' } as const

export const contactChangeRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { keyring, now },
) => {
  app.patch(
    '/v1/contacts/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'patchContact',
        summary: 'Update a contact',
        description:
          'Updates only the fields that are sent. `active` alone does not resubscribe a contact who unsubscribed, and the response then has `emailStatusKept`. Add `resubscribe` if the person asked for mail again. A number that opted out of text messages keeps its `smsStatus` in the same way (`smsStatusKept`). A new address starts without consent: topics with double opt-in send it a confirmation email.',
        params: IdParams,
        querystring: ContactQuery,
        body: ContactPatch,
        response: { 200: Contact, ...failures(409) },
      },
    },
    (request) => {
      const { body, params, query } = request
      const changes = toChanges(body)
      return write(request, { ...params, ...query }, { changes, wishes: body, mode: 'merge' })
    },
  )

  app.put(
    '/v1/contacts/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'replaceContact',
        summary: 'Replace a contact',
        description:
          'Clears all fields that are not sent, except statuses and topics. You can send a contact as it was returned: read-only fields are ignored.',
        params: IdParams,
        querystring: ContactQuery,
        body: ContactReplacement,
        response: { 200: Contact, ...failures(409) },
      },
    },
    (request) => {
      const { body, params, query } = request
      const changes = toReplacement(body)
      return write(request, { ...params, ...query }, { changes, wishes: body, mode: 'replace' })
    },
  )

  app.put(
    '/v1/contacts/:id/topics',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'replaceContactTopics',
        summary: 'Replace the topics of a contact',
        description:
          'Replaces all topics of the contact: it is unsubscribed from topics that the request does not name. A topic with double opt-in sends a confirmation email unless the contact confirmed it before. A contact who unsubscribed from a topic is subscribed again only with `resubscribe`.',
        params: IdParams,
        querystring: ContactQuery,
        body: ContactTopicsInput,
        response: { 200: Contact },
      },
    },
    ({ caller, params, query, body, id: requestId }) => {
      const { organizationId, sql } = caller
      return retryOnConflict(sql, async (tx) => {
        const id = await contactId(tx, organizationId, { ...params, ...query })
        const topicIds = await requireTopics(tx, organizationId, body)
        if (topicIds === undefined) throw noTopics()
        const { resubscribe: willing = false } = body
        const addressOf = (email: string) => addressed(keyring, organizationId, email)
        const changes = { topicIds, source: 'api', addressOf, willing, requestId } as const
        const isThere = await setTopics(tx, organizationId, id, changes)
        if (!isThere) throw await missingContact(tx, organizationId, { id })
        return contactResponse(tx, organizationId, { id })
      })
    },
  )

  function write(
    request: FastifyRequest,
    name: ContactName,
    change: { mode: 'merge' | 'replace'; changes: ContactChanges; wishes: Wishes },
  ): Promise<Contact> {
    const { caller, id: requestId } = request
    const { organizationId, sql, scopes } = caller
    const { changes, wishes, mode } = change
    return retryOnConflict(sql, async (tx) => {
      const id = await contactId(tx, organizationId, name)
      const topicIds = await requireTopics(tx, organizationId, wishes)
      const values = { ...changes, resubscribe: wishes.resubscribe }
      const row = { index: 0, id, values, topicIds }
      const upserted = await upsertOnce(tx, organizationId, [row], {
        mode,
        source: 'api',
        addressOf: (email) => addressed(keyring, organizationId, email),
        mayLift: allows(scopes, 'full'),
        requestId,
      })
      const { resubscribedFrom, ...writtenContact } = unwrapWrite(upserted, caller)
      for (const from of resubscribedFrom) await auditResubscription(tx, request, now, { id, from })
      return contactResponse(tx, organizationId, writtenContact)
    })
  }
}

interface Wishes extends TopicNames {
  resubscribe?: boolean
}

const noTopics = () =>
  badRequest('topicIds or topicSlugs is required', [
    {
      path: 'topicIds',
      message: 'or topicSlugs is required. Send an empty list to unsubscribe from all topics',
    },
  ])
