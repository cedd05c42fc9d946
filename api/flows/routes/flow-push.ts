import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Warning } from '../../../src/schemas/common.ts'
import {
  FlowPull,
  FlowPullQuery,
  FlowPush,
  FlowPushResult,
  type PushedFlow,
} from '../../../src/schemas/flows/flow-push.ts'
import * as flows from '../../../src/store/flows/flows.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { audit } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { prepareDefinition } from '../../../src/core/flows/definition.ts'
import { stepsWithDefaults, wireOf } from '../../../src/core/flows/draft.ts'
import { namingSteps } from '../definition-errors.ts'
import { pushFlows } from '../../../src/core/flows/push.ts'
import { sendersOfSteps } from '../../../src/core/flows/senders.ts'
import { pageOf } from '../../http/pages.ts'
import { createSenderChecks, warned } from '../../accounts/sender-check.ts'

const tags = ['workflows']

function pushOf(body: FlowPush) {
  if ('workflows' in body) {
    const workflows = body.workflows.map(withSteps)
    return { ...body, workflows, pathOf: (index: number) => `workflows[${index}].` }
  }
  const { dryRun, ...workflow } = body
  return { workflows: [withSteps(workflow)], force: false, dryRun, pathOf: () => '' }
}

const withSteps = (pushed: PushedFlow): PushedFlow => ({
  ...pushed,
  steps: stepsWithDefaults(pushed),
})

export const flowPushRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { keyring, now } = deps
  const senders = createSenderChecks(app, deps)

  app.post(
    '/v1/workflows/push',
    {
      config: { scope: 'workflows' },
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      errorHandler: namingSteps,
      schema: {
        tags,
        operationId: 'pushWorkflows',
        summary: 'Create and update workflows by their slugs, all or none',
        description:
          'The body is a list, `workflows`, or a single workflow. A created workflow is disabled, an updated one keeps its state, and an unchanged one gets no new version. Fails with 409 `edited_since_push`, which names the workflows, if some were edited here after the last push, unless you send `force`, or an `updatedAt` that is not older than the edit. `dryRun` returns the results without changing anything. To get the secret of a created workflow, rotate it.',
        body: FlowPush,
        response: { 200: FlowPushResult, ...failures(402, 409) },
      },
      preHandler: async (request) => {
        const { organizationId, sql } = request.caller
        const { contents } = request
        const { workflows } = pushOf(request.body)
        const slugs = workflows.map(({ slug }) => slug)
        const enabled = await flows.listEnabled(sql, organizationId, slugs)
        const running = workflows.filter(({ slug }) => enabled.has(slug))
        const steps = running.flatMap((each) => each.steps)
        const checkSenders = async (): Promise<void> =>
          senders.check(request, await sendersOfSteps(sql, organizationId, steps))
        await Promise.all([
          checkSenders(),
          ...workflows.map((each) => prepareDefinition(contents, each)),
        ])
      },
    },
    async (request) => {
      const { tx, contents, id: requestId, body } = request
      const { organizationId } = request.caller
      const { workflows, pathOf, force = false, dryRun = false } = pushOf(body)
      const warnings: Warning[] = []
      const checked = { senders: senders.of(request), warnings }
      const changing = { tx, organizationId, contents, keyring, requestId, ...checked }
      const results = await pushFlows(changing, workflows, { force, dryRun, pathOf })
      const changed = results.filter(({ outcome }) => outcome !== 'unchanged')
      const [first] = changed
      if (!dryRun && first?.id) {
        const subject = { kind: 'workflow', id: first.id }
        const detail = { workflows: changed.length }
        await audit(tx, request, now, { action: 'workflow.pushed', subject, detail })
      }
      return warned({ success: true as const, dryRun, results }, warnings)
    },
  )

  app.get(
    '/v1/workflows/pull',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'pullWorkflows',
        summary: 'Get workflows in the form that push takes, newest first',
        description:
          'Headers of webhook steps are returned as `***`. Push them unchanged to keep their values.',
        querystring: FlowPullQuery,
        response: { 200: FlowPull },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor, slug } }) => {
      const scope = { list: 'pulled workflows', organizationId, filters: { slug } }
      const before = decodeCursor(scope, cursor)
      const rows = await flows.listWhole(sql, organizationId, { before, limit: limit + 1, slug })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      const workflows = page.map(
        ({ slug, name, description, sourceHash, updatedAt, definition }) => ({
          slug,
          name,
          description,
          ...wireOf(definition),
          sourceHash,
          updatedAt,
        }),
      )
      return { workflows, nextCursor }
    },
  )
}
