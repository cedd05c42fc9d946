import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { badRequest } from '../../src/domain/errors.ts'
import { isUuid, uuidv7 } from '../../src/ids.ts'
import type { ContentSource } from '../../src/mail/content.ts'
import { IdParams } from '../../src/schemas/common.ts'
import {
  Template,
  TemplateInput,
  TemplateList,
  TemplateListQuery,
} from '../../src/schemas/template.ts'
import * as contents from '../../src/store/contents.ts'
import * as templates from '../../src/store/templates.ts'
import { LARGE_BODY_LIMIT } from '../bodies.ts'
import { settled } from '../contents.ts'
import { decodeCursor } from '../cursor.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { missing } from '../ownership.ts'
import { pageOf } from '../pages.ts'
import { slugTaken, underSlug } from '../slugs.ts'

const tags = ['templates']
const reading = { scope: ['read', 'send'] } as const
/** What a template's fields are called where its content is wrong. */
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
      bodyLimit: LARGE_BODY_LIMIT,
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
        settled([checked.compile(sourceOf(body), PATHS)]),
    },
    async ({ tx, contents: checked, caller: { organizationId }, body }, reply) => {
      const { name, slug, subject = null, previewText = null, source, variables = [] } = body
      const { sourceType = 'html', emailType = 'marketing' } = body
      if (sourceType !== 'html') {
        const details = [{ path: 'sourceType', message: 'mjml is not available yet' }]
        throw badRequest('sourceType: mjml is not available yet', details, 'not_supported_yet')
      }
      const compiled = await checked.compile(sourceOf(body), PATHS)
      const id = uuidv7()
      const template = {
        organizationId,
        id,
        name,
        subject,
        previewText,
        sourceType,
        source,
        emailType,
        variables,
      }
      const named = { name, id, fallback: 'template', ...(slug === undefined ? {} : { slug }) }
      const made = await underSlug(named, (free) =>
        templates.create(tx, { ...template, slug: free }),
      )
      if (!made) throw slugTaken('template')
      const contentId = uuidv7()
      await contents.create(tx, { organizationId, id: contentId, ...compiled })
      await templates.addVersion(tx, { organizationId, templateId: id, version: 1, contentId })
      reply.code(201)
      return made
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
