import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Warning } from '../../src/schemas/common.ts'
import { FlowPull, FlowPullQuery, FlowPush, FlowPushResult } from '../../src/schemas/flow-push.ts'
import * as flows from '../../src/store/flows.ts'
import type { Transaction } from '../../src/store/sql.ts'
import { LARGE_BODY_LIMIT } from '../bodies.ts'
import { decodeCursor } from '../cursor.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { prepareDefinition } from '../flow-definition.ts'
import { wireOf } from '../flow-draft.ts'
import { namingSteps } from '../flow-errors.ts'
import { pushFlows } from '../flow-push.ts'
import { sendersOfSteps } from '../flow-senders.ts'
import { pageOf } from '../pages.ts'
import { createSenderChecks, warned } from '../sender-check.ts'

const tags = ['workflows']

/** Workflows as files: pulled, edited, pushed. */
export const flowPushRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { keyring } = deps
  const senders = createSenderChecks(deps)

  app.post(
    '/v1/workflows/push',
    {
      config: { scope: 'workflows' },
      bodyLimit: LARGE_BODY_LIMIT,
      errorHandler: namingSteps,
      schema: {
        tags,
        operationId: 'pushWorkflows',
        summary: 'Create and update workflows by their slugs, all or none',
        description:
          'A workflow that is created has to be enabled, one that is updated stays as it was; what is the same is no new version. 409 `edited_since_push`, naming them, when some were edited here since they were pushed last, unless `force`, or unless `updatedAt` of what is pushed says that it knows. `dryRun` answers what would be done. The secret of a workflow that is created is had by rotating it.',
        body: FlowPush,
        response: { 200: FlowPushResult, ...failures(402, 409) },
      },
      preHandler: async (request) => {
        const { organizationId, sql } = request.caller
        const { contents } = request
        const { workflows } = request.body
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
      const { workflows, force = false, dryRun = false } = body
      const warnings: Warning[] = []
      const checked = { senders: senders.of(request), warnings }
      const push = (tx: Transaction) =>
        pushFlows(
          { tx, organizationId, contents, keyring, requestId, ...checked },
          workflows,
          force,
        )
      const answer = (results: FlowPushResult['results']) =>
        warned({ success: true as const, dryRun, results }, warnings)
      if (!dryRun) return answer(await push(tx))
      const results = await undone(tx, push)
      return answer(
        results.map((each) => (each.outcome === 'created' ? { ...each, id: null } : each)),
      )
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
        description: 'Headers of webhook steps are `***`: pushed so, they keep their values.',
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

/** What `work` answers, and nothing of what it writes. */
async function undone<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const undo = new Error('undone')
  let done: { value: T } | undefined
  try {
    await tx.savepoint(async (inner) => {
      done = { value: await work(inner) }
      throw undo
    })
  } catch (error) {
    if (error !== undo) throw error
  }
  if (!done) throw new Error('a savepoint that was undone had a value')
  return done.value
}
