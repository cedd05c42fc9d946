import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { addressed } from '../../src/addresses.ts'
import { allows } from '../../src/domain/access.ts'
import { badRequest } from '../../src/domain/errors.ts'
import { IdParams } from '../../src/schemas/common.ts'
import {
  ContactPatch,
  ContactReplacement,
  ContactTopicsInput,
} from '../../src/schemas/contact-change.ts'
import { Contact, ContactQuery } from '../../src/schemas/contact.ts'
import { type ChangeOptions, change, type ContactChanges } from '../../src/store/contact-changes.ts'
import { lockOne } from '../../src/store/contact-statements.ts'
import { replaceTopics } from '../../src/store/contact-writes.ts'
import type { TopicNames } from '../../src/store/topics.ts'
import { type ContactName, contactId, missingContact } from '../contact-keys.ts'
import { auditResubscription, requireMade, untilWritten, written } from '../contact-outcomes.ts'
import { ruledPatch, ruledReplacement, ruledTopics } from '../contact-rules.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'

const tags = ['contacts']
const writing = { scope: 'contacts' } as const

/** Changing one contact: by parts, as a whole, and its topics. */
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
        summary: 'Change parts of a contact',
        description:
          'Only what is given changes. A status never gets better by itself: `emailStatusKept` says that somebody had left, and `resubscribe` takes them back. A changed address begins anew, and topics with double opt-in ask it.',
        params: IdParams,
        querystring: ContactQuery,
        body: ContactPatch,
        response: { 200: Contact, ...failures(409) },
      },
    },
    (request) => {
      const { body, params, query } = request
      const changes = ruledPatch(body)
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
          'What is left out is cleared; statuses and topics stay unless they are given. An answer about a contact is a body: what nobody can write is ignored.',
        params: IdParams,
        querystring: ContactQuery,
        body: ContactReplacement,
        response: { 200: Contact, ...failures(409) },
      },
    },
    (request) => {
      const { body, params, query } = request
      const changes = ruledReplacement(body)
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
          'Topics that are not named are left. A topic with double opt-in sends a confirmation mail unless the contact confirmed before. Who left a topic by themselves is taken back only with `resubscribe`.',
        params: IdParams,
        querystring: ContactQuery,
        body: ContactTopicsInput,
        response: { 200: Contact },
      },
    },
    ({ caller, params, query, body, id: requestId }) => {
      const { organizationId, sql } = caller
      return untilWritten(sql, async (tx) => {
        const id = await contactId(tx, organizationId, { ...params, ...query })
        const topicIds = await ruledTopics(tx, organizationId, body)
        if (topicIds === undefined) throw noTopics()
        // Of two who replace them at once the second replaces what the first made.
        const locked = await lockOne(tx, organizationId, id)
        if (!locked) throw await missingContact(tx, organizationId, { id })
        const { resubscribe = false } = body
        const addressOf = (email: string) => addressed(keyring, organizationId, email)
        await replaceTopics(tx, organizationId, id, { topicIds, addressOf, resubscribe, requestId })
        return written(tx, organizationId, { id, emailStatusKept: false, smsStatusKept: false })
      })
    },
  )

  interface Wanted extends Pick<ChangeOptions, 'mode'> {
    changes: ContactChanges
    wishes: TopicNames & { resubscribe?: boolean }
  }

  function write(request: FastifyRequest, name: ContactName, wanted: Wanted): Promise<Contact> {
    const { caller, id: requestId } = request
    const { organizationId, sql, scopes } = caller
    const { changes, wishes, mode } = wanted
    return untilWritten(sql, async (tx) => {
      const id = await contactId(tx, organizationId, name)
      const outcome = await change(tx, organizationId, id, changes, {
        mode,
        topicIds: await ruledTopics(tx, organizationId, wishes),
        addressOf: (email) => addressed(keyring, organizationId, email),
        resubscribe: wishes.resubscribe ?? false,
        mayLift: allows(scopes, 'full'),
        requestId,
      })
      const made = requireMade(outcome, caller)
      if (made.resubscribedFrom !== null) {
        await auditResubscription(tx, request, now, { id: made.id, from: made.resubscribedFrom })
      }
      return written(tx, organizationId, made)
    })
  }
}

const noTopics = () =>
  badRequest('topicIds or topicSlugs is needed', [
    { path: 'topicIds', message: 'or topicSlugs is needed; an empty list leaves all topics' },
  ])
