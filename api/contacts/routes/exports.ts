import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CONTACT_COUNTS, CONTACT_TIMES } from '../../../src/domain/contacts/contact-columns.ts'
import { CONTACT_FIELD_NAMES } from '../../../src/domain/contacts/contact-fields.ts'
import type { Contact } from '../../../src/schemas/contacts/contact.ts'
import { ExportQuery } from '../../../src/schemas/contacts/import.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import * as search from '../../../src/store/audience/search.ts'
import { wordOf } from '../../../src/store/audience/search-terms.ts'
import { type Page, pageOfContacts } from '../../../src/core/audience/pages.ts'
import { requireInTime } from '../../../src/core/audience/members.ts'
import { audit } from '../../access/audit.ts'
import { failures } from '../../http/failures.ts'
import { csvLines, TEXT } from '../../http/csv-answers.ts'
import type { TenantDeps } from '../../deps.ts'
import { requireAudience } from '../contact-filters.ts'

const PAGE = 1_000

/** Columns in the form that imports accept or ignore. */
const COLUMNS = [
  'id',
  ...CONTACT_FIELD_NAMES,
  ...CONTACT_COUNTS,
  ...CONTACT_TIMES,
] as const satisfies readonly (keyof Contact)[]

export const exportRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { now, searchSql },
) => {
  app.get(
    '/v1/contacts/export',
    {
      config: { scope: 'contacts' },
      schema: {
        tags: ['contacts'],
        operationId: 'exportContacts',
        summary: 'Download contacts as CSV or NDJSON',
        description:
          'Returns contacts, newest first, with the filters of the list. CSV: `properties` is one column of JSON, so importing the file again changes nothing. A cell that a spreadsheet would run as a formula begins with an apostrophe, which an import removes. NDJSON: one contact per line. If a download fails, the connection is closed before the end of the response. Fails with 400 `segment_too_slow` if the condition of the segment takes too long.',
        querystring: ExportQuery,
        response: {
          200: {
            description: 'The file',
            content: {
              'text/csv': { schema: TEXT },
              'application/x-ndjson': { schema: TEXT },
            },
          },
          ...failures(402),
        },
      },
    },
    async (request, reply) => {
      const { organizationId, sql } = request.caller
      const { format = 'csv', ...filters } = request.query
      const audience = await requireAudience(sql, organizationId, filters, now())
      const word = wordOf(filters.search ?? '')
      await audit(sql, request, now, {
        action: 'contacts.exported',
        subject: { kind: 'organization', id: organizationId },
        detail: { format, filters: Object.keys(filters) },
      })
      // A condition is asked as searches are. The first page is awaited, so that a refusal can be
      // answered.
      const reader = filters.segmentId === undefined ? sql : searchSql
      const first = page(undefined)
      const firstPage = await (filters.segmentId === undefined
        ? first
        : requireInTime('segmentId', first))
      void reply.header('content-disposition', `attachment; filename="contacts.${format}"`)
      if (format === 'csv') {
        return reply.type('text/csv; charset=utf-8').send(csvLines(COLUMNS, cells()))
      }
      return reply.type('application/x-ndjson').send(Readable.from(lines(), { objectMode: false }))

      async function* pages(): AsyncGenerator<Contact[]> {
        for (let { rows, next } = firstPage; ; ) {
          yield rows
          if (next === undefined) return
          ;({ rows, next } = await page(next))
        }
      }
      function page(before: Uuid | undefined): Promise<Page<Contact>> {
        return word === ''
          ? pageOfContacts(reader, organizationId, audience, { before, limit: PAGE })
          : found(before)
      }
      function found(before: Uuid | undefined) {
        const page = { audience, search: word, page: 1, pageSize: PAGE, before }
        return search.contacts(searchSql, organizationId, page)
      }
      async function* cells() {
        for await (const page of pages()) yield page.map((contact) => COLUMNS.map(cellOf(contact)))
      }
      async function* lines() {
        for await (const page of pages()) {
          yield page.map((contact) => `${JSON.stringify(contact)}\n`).join('')
        }
      }
    },
  )
}

const cellOf =
  (contact: Contact) =>
  (column: (typeof COLUMNS)[number]): string => {
    const value = contact[column]
    if (value === null) return ''
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
