import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { normalAddress } from '../../../src/domain/text.ts'
import { addressed } from '../../../src/keys/addresses.ts'
import { isUuid, type Uuid } from '../../../src/runtime/ids.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import { ContactQuery } from '../../../src/schemas/contacts/contact.ts'
import { ContactExport, Erasure } from '../../../src/schemas/privacy/personal-data.ts'
import * as storedErasures from '../../../src/store/privacy/erasures.ts'
import * as erasures from '../../../src/core/privacy/erasures.ts'
import { personNames } from '../../../src/core/privacy/person-names.ts'
import * as importReports from '../../../src/store/privacy/import-reports.ts'
import * as personalData from '../../../src/store/privacy/export.ts'
import { audit } from '../../access/audit.ts'
import { contactKeys, missingContact } from '../../contacts/contact-keys.ts'
import type { TenantDeps } from '../../deps.ts'
import { missing } from '../../../src/core/access/ownership.ts'
import { sendStream } from '../../http/streams.ts'

const tags = ['contacts']
const config = { scope: 'contacts' } as const

export const personalDataRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { keyring, now, searchSql },
) => {
  app.get(
    '/v1/contacts/:id/export',
    {
      config,
      schema: {
        tags,
        operationId: 'exportContact',
        summary: 'Export the personal data of a contact',
        description:
          'Returns all fields of the contact, the history of its consent, all mails with their timelines and stored bodies, all events and all executions of workflows. Links in bodies that unsubscribe, confirm or choose topics are disabled. The response is streamed while it is read. The audit events record who requested it.',
        params: IdParams,
        querystring: ContactQuery,
        response: {
          200: {
            description: 'The export, streamed',
            content: { 'application/json': { schema: ContactExport } },
          },
        },
      },
    },
    async (request, reply) => {
      const { organizationId, sql } = request.caller
      const keys = contactKeys({ ...request.params, ...request.query })
      const id = await erasures.findByKeys(sql, organizationId, keys)
      const contact =
        id === undefined ? undefined : await personalData.contact(sql, organizationId, id)
      if (id === undefined || !contact) {
        throw await missingContact(sql, organizationId, { ...request.params, ...request.query })
      }
      await audit(sql, request, now, { action: 'contact.exported', subject: subjectOf(id) })
      const until = new Date(now()).toISOString()
      const email = textOf(contact['email'])
      const { contactIds, addresses } = await erasures.findWholePerson(
        sql,
        organizationId,
        id,
        email,
      )
      const phone = textOf(contact['phone'])
      const person = { contactIds, email, phone, addresses }
      const names = personNames(organizationId, person)
      const addressHashes = [...names.emailHashes, ...names.phoneHashes]
      const mailed = { organizationId, contactIds, addressHashes, until }
      const parts = {
        contact,
        stats: await personalData.stats(sql, organizationId, id),
        topics: await personalData.topics(sql, organizationId, id),
        suppression:
          email === null
            ? null
            : await personalData.suppression(
                sql,
                organizationId,
                addressed(keyring, organizationId, email),
              ),
        phoneConsent:
          phone === null
            ? null
            : await personalData.phoneConsent(
                sql,
                organizationId,
                addressed(keyring, organizationId, phone),
              ),
      }
      const lists = {
        consentEvents: personalData.consentEvents(sql, organizationId, id),
        mails: personalData.mails({ sql, searchSql }, mailed),
        events: personalData.customEvents(sql, organizationId, mailed.contactIds),
        executions: personalData.executions(sql, organizationId, mailed.contactIds),
        importErrors: importReports.listNaming(sql, organizationId, {
          person: { ...names, until },
          externalId: textOf(contact['externalId']),
        }),
        auditEvents: personalData.auditEvents(sql, organizationId, id),
      }
      return sendStream(reply, written(parts, lists), 'application/json; charset=utf-8')
    },
  )

  app.post(
    '/v1/contacts/:id/erase',
    {
      config,
      schema: {
        tags,
        operationId: 'eraseContact',
        summary: 'Erase a contact and its personal data',
        description:
          'Deletes the contact at once, so that it receives no further mail. Logs, responses and stored events are emptied in the background: `GET /v1/erasures/{id}` returns the progress. A suppression of the address stays effective without storing the address. A contact that was deleted earlier can be erased by its id or address. Repeated requests for the same id return the same erasure.',
        params: IdParams,
        querystring: ContactQuery,
        response: { 202: Erasure },
      },
    },
    async (request, reply) => {
      const { tx, params, query, caller } = request
      const { organizationId } = caller
      const keys = personKeys(params, query)
      const person = await erasures.removePerson(tx, organizationId, keys, request.id)
      const accepted = person && (await erasures.accept(tx, organizationId, person, request.id))
      if (accepted) {
        await audit(tx, request, now, {
          action: 'contact.erased',
          subject: subjectOf(accepted.contactId),
          detail: { erasureId: accepted.id },
        })
      }
      const erasure =
        accepted ??
        (isUuid(params.id)
          ? await storedErasures.findOfContact(tx, organizationId, params.id)
          : person && (await storedErasures.findOfContact(tx, organizationId, person.contactId)))
      if (!erasure) throw await missingContact(tx, organizationId, { ...params, ...query })
      if (!accepted) await erasures.startAgain(tx, organizationId, erasure, request.id)
      reply.code(202)
      return erasure
    },
  )

  app.get(
    '/v1/erasures/:id',
    {
      config: { scope: ['read', 'contacts'] },
      schema: {
        tags,
        operationId: 'getErasure',
        summary: 'Get an erasure',
        description:
          'The erasure stays as proof that the contact was erased and contains no personal data. Mail that is on its way to the provider is settled first, which may take minutes.',
        params: IdParams,
        response: { 200: Erasure },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) => {
      const erasure = isUuid(id) ? await storedErasures.find(sql, organizationId, id) : undefined
      if (!erasure) throw await missing(sql, 'erasure', organizationId, id)
      return erasure
    },
  )
}

const subjectOf = (id: Uuid) => ({ kind: 'contact', id })

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Keys of the person in a path: a contact, or somebody who was deleted earlier. */
function personKeys({ id }: { id: string }, { by }: ContactQuery): erasures.PersonKeys {
  const keys = contactKeys({ id, by })
  if (isUuid(id) && (by ?? 'id') === 'id') return { keys, former: { id } }
  if (by === 'externalId' || !id.includes('@')) return { keys, former: undefined }
  return { keys, former: { email: normalAddress(id) } }
}

/** Streams one JSON object: loaded fields first, then each list row by row. */
async function* written(
  parts: Record<string, unknown>,
  lists: Record<string, AsyncIterable<unknown>>,
): AsyncGenerator<string> {
  const head = JSON.stringify(parts)
  yield head.slice(0, -1)
  for (const [name, rows] of Object.entries(lists)) {
    yield `,${JSON.stringify(name)}:[`
    let separator = ''
    for await (const row of rows) {
      yield separator + JSON.stringify(row)
      separator = ','
    }
    yield ']'
  }
  yield '}'
}
