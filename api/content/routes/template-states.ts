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
        summary: 'Publish what a template says now, by id or slug',
        description:
          'As its next version, which never changes: styles stand in the elements that they are for, and a text part is made. Batches keep the version that they began with; mail of workflows is made of the newest. What is the same is no new version. `warnings`: what a preview finds in every mail of it, such as `clipped` beyond the 102 KB that Gmail shows, and `styles_not_inlined`.',
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
        summary: 'Copy a template, by id or slug, into a new draft',
        description: 'What it says now, not the published version.',
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
