import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { NOT_YET, refuse } from '../../../src/domain/errors.ts'
import { isUuid } from '../../../src/ids.ts'
import type { ContentSource } from '../../../src/mail/content.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import {
  Template,
  TemplateInput,
  TemplateList,
  TemplateListQuery,
} from '../../../src/schemas/content/template.ts'
import * as templates from '../../../src/store/content/templates.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { missing } from '../../../src/core/access/ownership.ts'
import { awaitChecks } from '../../../src/mail/content-checks.ts'
import { createTemplate } from '../../../src/core/content/create-template.ts'
import { pageOf } from '../../http/pages.ts'

const tags = ['templates']
const reading = { scope: ['read', 'send'] } as const
/** The names of a template's fields in refusals of its content. */
const PATHS = {
  subject: 'subject',
  previewText: 'previewText',
  html: 'source',
  text: 'source',
  variables: 'variables',
}

function sourceOf(body: TemplateInput): ContentSource {
  const { subject = null, previewText = null, source: html, variables = [] } = body
  return { subject, previewText, html, variables }
}

export const templateRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.post(
    '/v1/templates',
    {
      config: { scope: 'templates' },
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      schema: {
        tags,
        operationId: 'createTemplate',
        summary: 'Create a template, published at once',
        description:
          'The source is HTML with Liquid. A variable needs a fallback unless every recipient has a value for it: an unknown variable is refused here, and an undefined value fails its recipient when mail is sent. Without `slug`, one is made of the name.',
        body: TemplateInput,
        response: { 201: Template, ...failures(409) },
      },
      preHandler: async ({ contents: checked, body }) =>
        awaitChecks([checked.compile(sourceOf(body), PATHS)]),
    },
    async ({ tx, contents: checked, caller: { organizationId }, body }, reply) => {
      const { name, slug, subject = null, previewText = null, source, variables = [] } = body
      const { sourceType = 'html', emailType = 'marketing' } = body
      if (sourceType !== 'html') {
        refuse('sourceType', 'cannot be mjml yet', NOT_YET.reason)
      }
      const content = await checked.compile(sourceOf(body), PATHS)
      const values = {
        name,
        slug,
        subject,
        previewText,
        sourceType,
        source,
        emailType,
        variables,
      }
      const created = await createTemplate(tx, organizationId, values, content)
      reply.code(201)
      return created
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
        description: 'Without their sources.',
        querystring: TemplateListQuery,
        response: { 200: TemplateList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor } }) => {
      const scope = { list: 'templates', organizationId, filters: {} }
      const before = decodeCursor(scope, cursor)
      const rows = await templates.list(sql, organizationId, { before, limit: limit + 1 })
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
        description: 'A UUID is our id, anything else a slug.',
        params: IdParams,
        response: { 200: Template },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) => {
      const template = isUuid(id)
        ? await templates.find(sql, organizationId, id)
        : await templates.findBySlug(sql, organizationId, id)
      return template ?? Promise.reject(await missing(sql, 'template', organizationId, id))
    },
  )
}
