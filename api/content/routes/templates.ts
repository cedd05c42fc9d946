import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  changeTemplate,
  compileTemplate,
  createTemplate,
  deleteTemplate,
  publishTemplate,
  requireTemplate,
  valuesOf,
} from '../../../src/core/content/templates.ts'
import { publishWarnings } from '../../../src/core/content/publish-warnings.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { slugTaken } from '../../../src/domain/slugs.ts'
import { awaitChecks } from '../../../src/mail/content-checks.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import {
  PublishedTemplate,
  Template,
  TemplateInput,
  TemplateList,
  TemplateListQuery,
  TemplatePatch,
  TemplateQuery,
  TemplateVersionList,
  TemplateVersionListQuery,
} from '../../../src/schemas/content/template.ts'
import * as versions from '../../../src/store/content/template-versions.ts'
import * as templates from '../../../src/store/content/templates.ts'
import { hasState, transact, UNIQUE_VIOLATION } from '../../../src/store/db/sql.ts'
import { audit } from '../../access/audit.ts'
import { warned } from '../../accounts/sender-check.ts'
import type { TenantDeps } from '../../deps.ts'
import { decodeCursor, decodeNumberCursor, encodeNumberCursor } from '../../http/cursor.ts'
import { failures } from '../../http/failures.ts'
import { pageOf } from '../../http/pages.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'

const tags = ['templates']
const reading = { scope: ['read', 'send'] } as const
const writing = { scope: 'templates' } as const

export const templateRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.post(
    '/v1/templates',
    {
      config: writing,
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      schema: {
        tags,
        operationId: 'createTemplate',
        summary: 'Create a template, published at once or as a draft',
        description:
          'The source is HTML or MJML with Liquid. A variable needs a fallback unless every recipient has a value for it. Unknown variables are refused when the template is published. A missing value fails the mail of its recipient when it is sent. With `status: "DRAFT"` the content is checked only when it is published. Without `slug`, a slug is derived from the name.',
        body: TemplateInput,
        response: { 201: PublishedTemplate, ...failures(409) },
      },
      preHandler: async ({ contents: checked, body }) =>
        awaitChecks(body.status === 'DRAFT' ? [] : [compileTemplate(checked, valuesOf(body))]),
    },
    async (request, reply) => {
      const { tx, contents, body } = request
      const { organizationId } = request.caller
      const isDraft = body.status === 'DRAFT'
      // Before anything is written: what is refused leaves nothing.
      if (!isDraft) await compileTemplate(contents, valuesOf(body))
      const draft = await createTemplate(
        { tx, organizationId },
        { ...valuesOf(body), slug: body.slug },
      )
      const subject = { kind: 'template', id: draft.id }
      await audit(tx, request, now, { action: 'template.created', subject })
      reply.code(201)
      if (isDraft) return draft
      const { template, content } = await publishTemplate({ tx, organizationId, contents }, draft)
      return warned(template, publishWarnings(content))
    },
  )

  app.get(
    '/v1/templates',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listTemplates',
        summary: 'List templates, newest first',
        description: 'Returns templates without their sources.',
        querystring: TemplateListQuery,
        response: { 200: TemplateList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor, status, search } }) => {
      const scope = { list: 'templates', organizationId, filters: { status, search } }
      const before = decodeCursor(scope, cursor)
      const range = { before, limit: limit + 1 }
      const rows = await templates.list(sql, organizationId, { status, search }, range)
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )

  app.get(
    '/v1/templates/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getTemplate',
        summary: 'Get a template by id or slug',
        description:
          'An id or a slug: a UUID is an id, any other value is a slug. With `version`, the texts, the variables and `publishedAt` are those of that version. Name, slug and status are the present ones.',
        params: IdParams,
        querystring: TemplateQuery,
        response: { 200: Template },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query: { version } }) => {
      const template = await requireTemplate(sql, organizationId, id)
      if (version === undefined) return template
      const published = await versions.find(sql, organizationId, {
        templateId: template.id,
        version,
      })
      if (!published) throw notFound('Version')
      return { ...template, ...published, hasUnpublishedChanges: false }
    },
  )

  app.get(
    '/v1/templates/:id/versions',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listTemplateVersions',
        summary: 'List the published versions of a template, newest first',
        description: 'They never change. `GET /v1/templates/{id}?version=` returns what one says.',
        params: IdParams,
        querystring: TemplateVersionListQuery,
        response: { 200: TemplateVersionList },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query: { limit, cursor } }) => {
      const template = await requireTemplate(sql, organizationId, id)
      const scope = { list: 'template versions', organizationId, filters: { id: template.id } }
      const rows = await versions.list(sql, organizationId, {
        templateId: template.id,
        before: decodeNumberCursor(scope, cursor),
        limit: limit + 1,
      })
      const data = rows.slice(0, limit)
      const last = rows.length > limit ? data.at(-1) : undefined
      return { data, nextCursor: last ? encodeNumberCursor(scope, last.version) : null }
    },
  )

  app.patch(
    '/v1/templates/:id',
    {
      config: writing,
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      schema: {
        tags,
        operationId: 'updateTemplate',
        summary: 'Update or archive a template by id or slug',
        description:
          'Updates only the fields that are sent. Mail uses the published version until you call `publish`. An archived template cannot be used by new batches, workflows or topics. Archiving fails with 409 `template_in_use` while an enabled workflow, an unfinished execution or a topic uses the template. `details` names them.',
        params: IdParams,
        body: TemplatePatch,
        response: { 200: Template, ...failures(409) },
      },
    },
    async (request) => {
      const { organizationId, sql } = request.caller
      const change = transact(sql, async (tx) => {
        const writing = { tx, organizationId }
        const { template, was } = await changeTemplate(writing, request.params.id, request.body)
        const isArchived = template.status === 'ARCHIVED' && was.status !== 'ARCHIVED'
        const action = isArchived ? 'template.archived' : 'template.updated'
        const subject = { kind: 'template', id: template.id }
        if (template !== was) await audit(tx, request, now, { action, subject })
        return template
      })
      return change.catch((error: unknown) => {
        throw hasState(error, UNIQUE_VIOLATION) ? slugTaken('template') : error
      })
    },
  )

  app.delete(
    '/v1/templates/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'deleteTemplate',
        summary: 'Delete a template by id or slug',
        description:
          'Sent batches keep their content. Fails with 409 `template_in_use` while an unfinished batch, an enabled workflow or an unfinished execution (of any version) uses the template. `details` names them.',
        params: IdParams,
        response: { 200: Success, ...failures(409) },
      },
    },
    async (request) => {
      const { organizationId, sql } = request.caller
      await transact(sql, async (tx) => {
        const { id } = await deleteTemplate(tx, organizationId, request.params.id)
        const subject = { kind: 'template', id }
        await audit(tx, request, now, { action: 'template.deleted', subject })
      })
      return { success: true as const }
    },
  )
}
