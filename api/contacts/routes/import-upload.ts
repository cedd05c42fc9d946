import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { allows } from '../../../src/domain/access/access.ts'
import { AppError, badRequest, conflict } from '../../../src/domain/errors.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import {
  type Format,
  type Import,
  ImportAccepted,
  ImportOptions,
} from '../../../src/schemas/contacts/import.ts'
import * as imports from '../../../src/store/contacts/imports.ts'
import * as organizations from '../../../src/store/access/organizations.ts'
import * as outbox from '../../../src/store/platform/outbox.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { requireStorageRoom } from '../../../src/core/access/plan.ts'
import { resolveTopics } from '../../../src/core/consent/topic-names.ts'
import { audit } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { malformedBody } from '../../http/errors.ts'
import { failures } from '../../http/failures.ts'
import { parseMapping } from '../import-columns.ts'
import { pagesOf, type RowOptions } from '../import-rows.ts'
import { MEDIA_TYPES, takeUploads, type UploadedFile, uploadedFile } from '../uploads.ts'
import { inputChecker, invalidBody } from '../../http/validation.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'

/** Of one organization; each is written page by page, so that others get their turn. */
const MOST_OPEN = 5
/** An upload of which nothing was heard for so long has lost its process. */
const SILENT_MS = 120_000
/** Names of topics that rows use; more are looked up again. */
const MOST_TOPICS = 10_000
const checkFields = inputChecker(ImportOptions)

/** Takes the file of an import: its own plugin, because its body is read while it comes. */
export const importUploadRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  takeUploads(app)
  app.post(
    '/v1/contacts/import',
    {
      config: { scope: 'contacts', leased: true, takesGzip: true, isUpload: true },
      bodyLimit: REQUEST_LIMITS.uploadBytes,
      schema: {
        tags: ['contacts'],
        operationId: 'importContacts',
        summary: 'Import contacts from a file of up to 1 GiB',
        description:
          'A file as `text/csv` or `application/x-ndjson`, or a form (`multipart/form-data`) whose fields come before its file; `Content-Encoding: gzip` is understood. CSV: UTF-8, the first line names the columns; an empty cell says nothing. NDJSON: one contact a line. Answered when the whole file is received; an upload that breaks off changes nothing. Rows are then written as by `POST /v1/contacts/batch`: good rows are kept when others fail, and the report of errors lists those.',
        querystring: ImportOptions,
        body: {
          content: Object.fromEntries(
            MEDIA_TYPES.map((type) => [type, { schema: { description: 'The file.' } }]),
          ),
        },
        response: { 202: ImportAccepted, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { organizationId, sql, scopes } = request.caller
      const file = await uploadedFile(request)
      const given = optionsOf(request.query, file)
      const options = await rowOptions(request, given, file)
      const begun = await begin(request, {
        id: request.workId,
        format: options.format,
        onDuplicate: given.onDuplicate ?? 'update',
        dryRun: given.dryRun === 'true',
        mayLift: allows(scopes, 'full'),
        requestId: request.id,
      })
      reply.code(202)
      if (!('attempt' in begun)) return { id: begun.id, status: begun.status }
      try {
        await receive(begun, file, options)
        await transact(sql, async (tx) => {
          if (!(await imports.finishUpload(tx, begun))) throw takenOver()
          const start = { kind: 'start_import', payload: { importId: begun.id } } as const
          await outbox.put(tx, organizationId, start, request.id)
          await audit(tx, request, now, {
            action: 'import.created',
            subject: { kind: 'import', id: begun.id },
            detail: { format: options.format, dryRun: given.dryRun === 'true' },
          })
        })
      } catch (error) {
        const why = error instanceof AppError ? error.message : 'The upload was interrupted'
        // A refusal may name what the file says, and that cannot always be stored.
        await imports.abortUpload(sql, begun, why.replaceAll('\0', '\ufffd')).catch(() => {})
        throw error
      }
      return { id: begun.id, status: 'pending' as const }

      async function receive(upload: imports.Upload, { bytes }: UploadedFile, how: RowOptions) {
        // While one page is stored the next one is read.
        let storing = Promise.resolve(true)
        for await (const page of pagesOf(bytes, how)) {
          if (!(await storing)) throw takenOver()
          storing = imports.addPage(sql, upload, page)
          storing.catch(() => {})
        }
        if (!(await storing)) throw takenOver()
      }
    },
  )
}

/** Those of the address and those of the form; the form's count. */
function optionsOf(query: ImportOptions, { fields }: UploadedFile): ImportOptions {
  const [problem] = checkFields(fields).details ?? []
  if (problem) throw invalidBody(problem.path, problem.message)
  return { ...query, ...fields }
}

async function rowOptions(
  { caller: { organizationId, sql } }: FastifyRequest,
  given: ImportOptions,
  file: UploadedFile,
): Promise<RowOptions> {
  const named = {
    topicIds: given.topicIds?.split(',') ?? [],
    topicSlugs: given.topicSlugs?.split(',') ?? [],
  }
  const { ids, unknown } = await resolveTopics(sql, organizationId, named)
  if (unknown.length > 0) {
    const details = unknown.map(({ field, value }) => ({
      path: field,
      message: `names "${value}", which does not exist`,
    }))
    throw badRequest(details.map(({ path, message }) => `${path} ${message}`).join('; '), details)
  }
  const known = new Map<string, Uuid | undefined>()
  return {
    format: formatOf(given, file),
    mapping: parseMapping(given.mapping),
    delimiter: given.delimiter ?? ',',
    topicIds: ids,
    resubscribe: given.resubscribe === 'true',
    findTopic: async (field, name) => {
      const key = `${field} ${name}`
      if (known.has(key)) return known.get(key)
      if (known.size >= MOST_TOPICS) known.clear()
      const [id] = (await resolveTopics(sql, organizationId, { [field]: [name] })).ids
      known.set(key, id)
      return id
    },
  }
}

const FORMAT_OF_TYPE = new Map<string, Format>([
  ['text/csv', 'csv'],
  ['application/vnd.ms-excel', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
])

function formatOf({ format }: ImportOptions, { mediaType, name }: UploadedFile): Format {
  const [, ending] = /\.(csv|ndjson|jsonl)$/i.exec(name) ?? []
  const byName =
    ending === undefined ? undefined : ending.toLowerCase() === 'csv' ? 'csv' : 'ndjson'
  const known = format ?? FORMAT_OF_TYPE.get(mediaType) ?? byName
  if (known !== undefined) return known
  throw malformedBody('may be CSV or NDJSON: say which with the field format')
}

/** A new import, or the one that this request made before its answer was lost. */
async function begin(
  { caller: { organizationId, sql } }: FastifyRequest,
  wanted: imports.NewImport,
): Promise<imports.Upload | Import> {
  return transact(sql, async (tx) => {
    await organizations.lock(tx, organizationId)
    const known = await imports.find(tx, organizationId, wanted.id)
    if (known !== undefined && known.status !== 'receiving' && known.status !== 'aborted') {
      return known
    }
    if (known === undefined && (await imports.countOpen(tx, organizationId)) >= MOST_OPEN) {
      throw conflict(`${MOST_OPEN} imports are under way: wait for one to end`, {
        reason: 'too_many_imports',
      })
    }
    if (known === undefined) await requireStorageRoom(tx, organizationId)
    const upload =
      known === undefined
        ? await imports.create(tx, organizationId, wanted)
        : await imports.restart(tx, organizationId, wanted.id, SILENT_MS)
    if (upload) return upload
    throw conflict('This upload is still under way', { reason: 'idempotency_in_progress' })
  })
}

const takenOver = () =>
  conflict('The import was cancelled while it was received', { reason: 'import_ended' })
