import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { addressed } from '../../src/addresses.ts'
import { isUuid, uuidv7, type Uuid } from '../../src/ids.ts'
import { IdParams } from '../../src/schemas/common.ts'
import { ContactQuery } from '../../src/schemas/contact.ts'
import { ContactExport, Erasure } from '../../src/schemas/personal-data.ts'
import * as contacts from '../../src/store/contacts.ts'
import * as erasedMails from '../../src/store/erased-mails.ts'
import * as erasures from '../../src/store/erasures.ts'
import * as importReports from '../../src/store/import-reports.ts'
import * as personalData from '../../src/store/personal-data.ts'
import type { Executor } from '../../src/store/sql.ts'
import { addressHash } from '../../src/tokens.ts'
import { audit } from '../audit.ts'
import { contactKeys, missingContact } from '../contact-keys.ts'
import type { TenantDeps } from '../deps.ts'
import { missing } from '../ownership.ts'
import { sendStream } from '../streams.ts'

const tags = ['contacts']
const config = { scope: 'contacts' } as const

type By = ContactQuery['by']

/** What is held about one person: to hand it out, and to erase it. */
export const personalDataRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { keyring, now },
) => {
  app.get(
    '/v1/contacts/:id/export',
    {
      config,
      schema: {
        tags,
        operationId: 'exportContact',
        summary: 'Get all that is held about a contact',
        description:
          'Every field of the contact, what became of their consent, every mail with its timeline and the body where one is kept, every event and every run of a workflow. Streamed: however much there is, it comes as it is read. The audit trail says who asked.',
        params: IdParams,
        querystring: ContactQuery,
        response: {
          200: {
            description: 'As it is read',
            content: { 'application/json': { schema: ContactExport } },
          },
        },
      },
    },
    async (request, reply) => {
      const { organizationId, sql } = request.caller
      const id = await idOf(sql, organizationId, request.params.id, request.query.by)
      const contact =
        id === undefined ? undefined : await personalData.contact(sql, organizationId, id)
      if (id === undefined || !contact) {
        throw await missingContact(sql, organizationId, { ...request.params, ...request.query })
      }
      await audit(sql, request, now, { action: 'contact.exported', subject: subjectOf(id) })
      const until = new Date(now()).toISOString()
      const email = typeof contact['email'] === 'string' ? contact['email'] : null
      const mailed = {
        organizationId,
        contactIds: await idsOf(sql, organizationId, id, email),
        email,
        until,
      }
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
      }
      const lists = {
        consentEvents: personalData.consentEvents(sql, organizationId, id),
        mails: personalData.mails(sql, mailed),
        events: personalData.customEvents(sql, organizationId, mailed.contactIds),
        executions: personalData.executions(sql, organizationId, mailed.contactIds),
        importErrors: importReports.listSpeakingOf(sql, organizationId, namedBy(contact)),
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
        summary: 'Erase a contact and all that names them',
        description:
          'The contact is gone when this is answered and gets no further mail. Logs, answers and stored events are emptied in the background: `GET /v1/erasures/{id}` says when that is done. That their address is suppressed remains, without the address. Who was deleted before is erased by their id or address, too. Asking again for the same id gets the same erasure.',
        params: IdParams,
        querystring: ContactQuery,
        response: { 202: Erasure },
      },
    },
    async (request, reply) => {
      const { tx, params, query, caller } = request
      const { organizationId } = caller
      const person = await takePerson(request)
      const erasure = person && (await accept(person))
      const known =
        erasure ??
        (isUuid(params.id)
          ? await erasures.findOfContact(tx, organizationId, params.id)
          : person && (await erasures.findOfContact(tx, organizationId, person.contactId)))
      if (!known) throw await missingContact(tx, organizationId, { ...params, ...query })
      reply.code(202)
      return known

      async function accept(named: erasures.Named): Promise<Erasure | undefined> {
        const { contactId, email } = named
        const accepted = await erasures.accept(tx, {
          ...named,
          organizationId,
          erasureId: uuidv7(),
          former: await idsOf(tx, organizationId, contactId, email),
          requestId: request.id,
        })
        if (!accepted) return undefined
        await audit(tx, request, now, {
          action: 'contact.erased',
          subject: subjectOf(contactId),
          detail: { erasureId: accepted.id },
        })
        return accepted
      }
    },
  )

  app.get(
    '/v1/erasures/:id',
    {
      config: { scope: ['read', 'contacts'] },
      schema: {
        tags,
        operationId: 'getErasure',
        summary: 'Get how far an erasure is',
        description:
          'It stays as the proof that a contact was erased, and holds nothing that names them. A mail that is on its way to the provider is settled first, which may take minutes.',
        params: IdParams,
        response: { 200: Erasure },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) => {
      const erasure = isUuid(id) ? await erasures.find(sql, organizationId, id) : undefined
      if (!erasure) throw await missing(sql, 'erasure', organizationId, id)
      return erasure
    },
  )
}

const subjectOf = (id: Uuid) => ({ kind: 'contact', id })

/** What a row that was refused by an import has of somebody. */
function namedBy({ email, phone, externalId }: Record<string, unknown>): importReports.Named {
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return { email: text(email), phone: text(phone), externalId: text(externalId) }
}

/**
 * Who is meant: a contact, which is gone afterwards; or, named by their id or address, somebody who
 * was deleted before, of whom only logs are left. Undefined when there is nobody.
 */
async function takePerson({
  tx,
  id: requestId,
  caller: { organizationId },
  params,
  query: { by },
}: ErasureRequest): Promise<erasures.Named | undefined> {
  const { id } = params
  const living = await idOf(tx, organizationId, id, by)
  if (living !== undefined) {
    const removed = await erasures.removeContact(tx, organizationId, living, requestId)
    if (removed) return removed
  }
  const named = { phone: null, externalId: null }
  if (isUuid(id) && (by ?? 'id') === 'id') {
    if (!(await erasures.isFormer(tx, organizationId, id))) return undefined
    const mailed = { organizationId, contactIds: [id], email: null, until: '' }
    const email = (await erasedMails.findRecipient(tx, mailed)) ?? null
    // Somebody who has the address by now is somebody else's decision.
    const isTaken = email !== null && (await contacts.find(tx, organizationId, { email }))
    return { ...named, contactId: id, email: isTaken ? null : email }
  }
  if (by === 'externalId' || !id.includes('@')) return undefined
  const email = id.trim().toLowerCase()
  const [latest] = await erasures.listFormer(tx, organizationId, addressHash(organizationId, email))
  return latest === undefined ? undefined : { ...named, contactId: latest, email }
}

type ErasureRequest = Pick<FastifyRequest, 'tx' | 'id' | 'caller'> & {
  params: { id: string }
  query: ContactQuery
}

/** The contact, and who was deleted before with the same address. */
async function idsOf(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  email: string | null,
): Promise<Uuid[]> {
  if (email === null) return [contactId]
  const hash = addressHash(organizationId, email)
  return [contactId, ...(await erasures.listFormer(sql, organizationId, hash))]
}

async function idOf(
  sql: Executor,
  organizationId: Uuid,
  id: string,
  by: By,
): Promise<Uuid | undefined> {
  for (const key of contactKeys({ id, by })) {
    const contact = await contacts.find(sql, organizationId, key)
    if (contact) return contact.id
  }
  return undefined
}

/** One JSON object: what is at hand, then each list row by row. */
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
