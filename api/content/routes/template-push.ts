import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  prepareTemplates,
  pulledOf,
  pushTemplates,
  wholeRefusal,
} from '../../../src/core/content/push-templates.ts'
import { rowFailures, toldFailures } from '../../../src/domain/row-failures.ts'
import {
  TemplateBatchPush,
  TemplateBatchPushResult,
  TemplatePull,
  TemplatePullQuery,
  TemplatePush,
  TemplatePushResult,
  type PushedTemplate,
  TemplatesPush,
} from '../../../src/schemas/content/template-push.ts'
import * as templates from '../../../src/store/content/templates.ts'
import { rolledBack } from '../../../src/store/db/rolled-back.ts'
import { audit } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { failures } from '../../http/failures.ts'
import { pageOf } from '../../http/pages.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { rowChecker } from '../../http/row-checks.ts'

const tags = ['templates']
const writing = { scope: 'templates' } as const
const checkRows = rowChecker(TemplatePush)

function pushOf(body: TemplatesPush) {
  if ('templates' in body) {
    return { ...body, pathOf: (index: number) => `templates[${index}].` }
  }
  const { dryRun, ...template } = body
  return { templates: [template], dryRun, force: false, pathOf: () => '' }
}

export const templatePushRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.post(
    '/v1/templates/push',
    {
      config: writing,
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      schema: {
        tags,
        operationId: 'pushTemplates',
        summary: 'Create, update and publish templates by their slugs, all or none',
        description:
          'The body is a list, `templates`, or a single template. A template without changes is `unchanged`, whatever its status: a draft stays a draft, and edits made here stay unpublished. Fails with 409 `edited_since_push`, which names the templates, if some were edited here after the last push, unless you send `force`, or an `updatedAt` that is not older than the edit. `dryRun` returns the results without changing anything.',
        body: TemplatesPush,
        response: { 200: TemplatePushResult, ...failures(409) },
      },
      preHandler: async ({ caller: { organizationId, sql }, contents, body }) =>
        prepareTemplates({ sql, organizationId, contents }, pushOf(body).templates),
    },
    async (request) => {
      const { templates: pushed, pathOf, force = false, dryRun = false } = pushOf(request.body)
      const rows = pushed.map((each, index) => ({ index, pushed: each }))
      const { results, refusals } = await run(request, rows, { force, dryRun })
      if (refusals.length > 0) throw wholeRefusal(refusals, pathOf)
      return { success: true as const, dryRun, results }
    },
  )

  app.post(
    '/v1/templates/push/batch',
    {
      config: writing,
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      schema: {
        tags,
        operationId: 'pushTemplateBatch',
        summary: 'Create, update and publish up to 100 templates by their slugs, independently',
        description:
          'As `push`, but templates are independent: a refused template is reported in `errorDetails` with the error that it would get alone, and all others are stored.',
        body: TemplateBatchPush,
        response: { 200: TemplateBatchPushResult, ...failures(409) },
      },
      // Before the handler's transaction, which must not wait for the threads.
      preHandler: async (request) => {
        const { caller, contents, body } = request
        const { organizationId, sql } = caller
        const good = await checkRows(request, body.templates, rowFailures('templates'))
        const rows = good.map(({ row }) => row)
        await prepareTemplates({ sql, organizationId, contents }, rows)
      },
    },
    async (request) => {
      const { force = false, dryRun = false } = request.body
      const failed = rowFailures('templates')
      const good = await checkRows(request, request.body.templates, failed)
      const rows = good.map(({ index, row }) => ({ index, pushed: row }))
      const { results, refusals } = await run(request, rows, { force, dryRun })
      for (const { index, refusal } of refusals) failed.add(index, refusal)
      const report = toldFailures('templates', failed.list())
      return { success: report.errors.length === 0, dryRun, results, ...report }
    },
  )

  app.get(
    '/v1/templates/pull',
    {
      config: { scope: ['read', 'send'] },
      schema: {
        tags,
        operationId: 'pullTemplates',
        summary: 'Get templates in the form that push takes, newest first',
        description:
          'Returns the present content, published or not. `published` is the content that mail uses, if it differs.',
        querystring: TemplatePullQuery,
        response: { 200: TemplatePull },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor, slug } }) => {
      const scope = { list: 'pulled templates', organizationId, filters: { slug } }
      const before = decodeCursor(scope, cursor)
      const range = { before, limit: limit + 1, slug }
      const rows = await templates.listPulled(sql, organizationId, range)
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { templates: page.map(pulledOf), nextCursor }
    },
  )

  type Rows = Parameters<typeof pushTemplates>[1]

  async function run(
    request: FastifyRequest,
    rows: Rows,
    { force, dryRun }: { force: boolean; dryRun: boolean },
  ) {
    const { tx, contents } = request
    const { organizationId } = request.caller
    if (!dryRun) {
      const done = await pushTemplates({ tx, organizationId, contents }, rows, force)
      await note(request, done.results)
      return done
    }
    const { results, refusals } = await rolledBack(tx, (inner) =>
      pushTemplates({ tx: inner, organizationId, contents }, rows, force),
    )
    const shownResults = results.map((each) =>
      each.outcome === 'created' ? { ...each, id: null } : each,
    )
    return { results: shownResults, refusals }
  }

  /** Writes one entry of the audit trail for a push, however many templates it has. */
  async function note(request: FastifyRequest, results: readonly PushedTemplate[]): Promise<void> {
    const changed = results.filter(({ outcome }) => outcome !== 'unchanged')
    const [first] = changed
    if (!first?.id) return
    const subject = { kind: 'template', id: first.id }
    const detail = { templates: changed.length }
    await audit(request.tx, request, now, { action: 'template.pushed', subject, detail })
  }
}
