import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { cancelImport, requireImport } from '../../../src/core/contacts/imports.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import { Import, ImportList, ImportListQuery } from '../../../src/schemas/contacts/import.ts'
import * as imports from '../../../src/store/contacts/imports.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { actorOf } from '../../access/audit.ts'
import { csvFile, csvLines } from '../../http/csv-answers.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { pageOf } from '../../http/pages.ts'

const tags = ['contacts']
const reading = { scope: ['read', 'contacts'] } as const
const writing = { scope: 'contacts' } as const
const ERRORS_A_PAGE = 1_000

export const importRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.get(
    '/v1/contacts/imports',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listImports',
        summary: 'List imports, newest first',
        querystring: ImportListQuery,
        response: { 200: ImportList },
        description: 'Includes the progress of each import.',
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor } }) => {
      const scope = { list: 'imports', organizationId, filters: {} }
      const before = decodeCursor(scope, cursor)
      const rows = await imports.list(sql, organizationId, { limit: limit + 1, before })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )

  app.get(
    '/v1/contacts/imports/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getImport',
        summary: 'Get an import with its progress',
        description:
          'The counts increase while the import runs. Rows that are not counted yet have not been written.',
        params: IdParams,
        response: { 200: Import },
      },
    },
    ({ caller: { organizationId, sql }, params: { id } }) => requireImport(sql, organizationId, id),
  )

  app.get(
    '/v1/contacts/imports/:id/errors',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'getImportErrors',
        summary: 'Download the failed rows of an import as CSV',
        description:
          'Includes rows that were stored without their invalid phone number. Columns are `row` (starting at 1, without the header line of a CSV), `error`, and `record`, the fields of the row as JSON. The report is kept for 30 days. Cells that a spreadsheet would run as a formula begin with an apostrophe.',
        params: IdParams,
        response: { 200: csvFile('The report') },
      },
    },
    async (request, reply) => {
      const { organizationId, sql } = request.caller
      const { id } = await requireImport(sql, organizationId, request.params.id)
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="import-errors.csv"`)
        .send(csvLines(['row', 'error', 'record'], pages()))

      async function* pages() {
        for (let after = 0; ; ) {
          const rows = await imports.listErrors(sql, organizationId, id, {
            after,
            limit: ERRORS_A_PAGE,
          })
          yield rows.map(({ row, message, record }) => [String(row), message, record])
          const last = rows.at(-1)
          if (last === undefined || rows.length < ERRORS_A_PAGE) return
          after = last.row
        }
      }
    },
  )

  app.delete(
    '/v1/contacts/imports/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'cancelImport',
        summary: 'Cancel an import',
        description:
          'Contacts that were written stay. Repeated requests get the same response. Fails with 409 if the import has ended otherwise.',
        params: IdParams,
        response: { 200: Import, ...failures(409) },
      },
    },
    (request) => {
      const { organizationId, sql } = request.caller
      const { id } = request.params
      return transact(sql, (tx) => cancelImport(tx, organizationId, id, actorOf(request, now)))
    },
  )
}
