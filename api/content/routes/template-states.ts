import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  compileTemplate,
  duplicateTemplate,
  lockTemplate,
  publishTemplate,
  requireTemplate,
} from '../../../src/core/content/templates.ts'
import { publishWarnings } from '../../../src/core/content/publish-warnings.ts'
import { requireUnmodified } from '../../../src/domain/unmodified.ts'
import { awaitChecks } from '../../../src/mail/content-checks.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import {
  DuplicateInput,
  PublishedTemplate,
  PublishInput,
  Template,
} from '../../../src/schemas/content/template.ts'
import { audit } from '../../access/audit.ts'
import { warned } from '../../accounts/sender-check.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'

const tags = ['templates']
const writing = { scope: 'templates' } as const

export const templateStateRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.post(
    '/v1/templates/:id/publish',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'publishTemplate',
        summary: 'Publish the present content of a template, by id or slug',
        description:
          'Creates the next version, which never changes: styles are inlined, and a text part is generated. Batches keep the version with which they began. Mail of workflows uses the newest. Unchanged content creates no version. `warnings` lists problems in all mails of the version, such as `clipped` above the 102 KB that Gmail shows, and `styles_not_inlined`.',
        params: IdParams,
        body: PublishInput,
        response: { 200: PublishedTemplate, ...failures(409) },
      },
      preHandler: async ({ contents, caller: { organizationId, sql }, params: { id } }) => {
        const template = await requireTemplate(sql, organizationId, id)
        await awaitChecks([compileTemplate(contents, template)])
      },
    },
    async (request) => {
      const { tx, contents, params, body } = request
      const { organizationId } = request.caller
      const draft = await lockTemplate(tx, organizationId, params.id)
      requireUnmodified('template', draft, body?.ifUnmodifiedSince)
      const { template, content } = await publishTemplate({ tx, organizationId, contents }, draft)
      if (template.version !== draft.version) {
        const subject = { kind: 'template', id: template.id }
        const detail = { version: template.version }
        await audit(tx, request, now, { action: 'template.published', subject, detail })
      }
      return warned(template, publishWarnings(content))
    },
  )

  app.post(
    '/v1/templates/:id/duplicate',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'duplicateTemplate',
        summary: 'Copy a template into a new draft, by id or slug',
        description: 'Copies the present content, not the published version.',
        params: IdParams,
        body: DuplicateInput,
        response: { 201: Template, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { tx, params, body } = request
      const { organizationId } = request.caller
      const copy = await duplicateTemplate({ tx, organizationId }, params.id, body ?? {})
      const subject = { kind: 'template', id: copy.id }
      await audit(tx, request, now, { action: 'template.created', subject })
      reply.code(201)
      return copy
    },
  )
}
