import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { allows } from '../../../src/domain/access/access.ts'
import { badRequest } from '../../../src/domain/errors.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import { type Format, ImportAccepted, ImportOptions } from '../../../src/schemas/contacts/import.ts'
import { transact } from '../../../src/store/db/sql.ts'
import {
  abortImport,
  addImportPage,
  beginImport,
  handOverImport,
  type Upload,
} from '../../../src/core/contacts/imports.ts'
import { resolveTopics } from '../../../src/core/consent/topic-names.ts'
import { actorOf } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { malformedBody } from '../../http/errors.ts'
import { failures } from '../../http/failures.ts'
import { parseMapping } from '../import-columns.ts'
import { pagesOf, type RowOptions } from '../import-rows.ts'
import { MEDIA_TYPES, takeUploads, type UploadedFile, uploadedFile } from '../uploads.ts'
import { inputChecker, invalidBody } from '../../http/validation.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'

/** Remembered names of topics. Further names are looked up again. */
const MOST_TOPICS = 10_000
const checkFields = inputChecker(ImportOptions)

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
          'Send a file as `text/csv` or `application/x-ndjson`, or a form (`multipart/form-data`) whose fields come before its file. `Content-Encoding: gzip` is supported. CSV: UTF-8, with the names of the columns in the first line. Empty cells are ignored. NDJSON: one contact per line. The response is sent when the whole file was received. An interrupted upload changes nothing. Rows are then written as by `POST /v1/contacts/batch`: valid rows are stored if others fail, and the error report lists the others.',
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
      const input = optionsOf(request.query, file)
      const options = await rowOptions(request, input, file)
      const newImport = {
        id: request.workId,
        format: options.format,
        onDuplicate: input.onDuplicate ?? ('update' as const),
        dryRun: input.dryRun === 'true',
        mayLift: allows(scopes, 'full'),
      }
      const actor = actorOf(request, now)
      const upload = await transact(sql, (tx) => beginImport(tx, organizationId, newImport, actor))
      reply.code(202)
      if (!('attempt' in upload)) return { id: upload.id, status: upload.status }
      try {
        await receive(upload)
        await transact(sql, (tx) => handOverImport(tx, upload, newImport, actorOf(request, now)))
      } catch (error) {
        await abortImport(sql, upload, error).catch(() => {})
        throw error
      }
      return { id: upload.id, status: 'pending' as const }

      async function receive(upload: Upload) {
        // While one page is stored the next one is read.
        let storing = Promise.resolve()
        for await (const page of pagesOf(file.bytes, options)) {
          await storing
          storing = addImportPage(sql, upload, page)
          storing.catch(() => {})
        }
        await storing
      }
    },
  )
}

function optionsOf(query: ImportOptions, { fields }: UploadedFile): ImportOptions {
  const [problem] = checkFields(fields).details ?? []
  if (problem) throw invalidBody(problem.path, problem.message)
  return { ...query, ...fields }
}

async function rowOptions(
  { caller: { organizationId, sql } }: FastifyRequest,
  input: ImportOptions,
  file: UploadedFile,
): Promise<RowOptions> {
  const topicNames = {
    topicIds: input.topicIds?.split(',') ?? [],
    topicSlugs: input.topicSlugs?.split(',') ?? [],
  }
  const { ids, unknown } = await resolveTopics(sql, organizationId, topicNames)
  if (unknown.length > 0) {
    const details = unknown.map(({ field, value }) => ({
      path: field,
      message: `names "${value}", which does not exist`,
    }))
    throw badRequest(details.map(({ path, message }) => `${path} ${message}`).join('; '), details)
  }
  const idsByName = new Map<string, Uuid | undefined>()
  return {
    format: formatOf(input, file),
    mapping: parseMapping(input.mapping),
    delimiter: input.delimiter ?? ',',
    topicIds: ids,
    resubscribe: input.resubscribe === 'true',
    findTopic: async (field, name) => {
      const key = `${field} ${name}`
      if (idsByName.has(key)) return idsByName.get(key)
      if (idsByName.size >= MOST_TOPICS) idsByName.clear()
      const [id] = (await resolveTopics(sql, organizationId, { [field]: [name] })).ids
      idsByName.set(key, id)
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
  const knownFormat = format ?? FORMAT_OF_TYPE.get(mediaType) ?? byName
  if (knownFormat !== undefined) return knownFormat
  throw malformedBody('may be CSV or NDJSON: say which with the field format')
}
