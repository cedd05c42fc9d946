import { AppError, badRequest, conflict, type ErrorDetail } from '../../domain/errors.ts'
import type { FlowPushResult, PushedFlow } from '../../schemas/flows/flow-push.ts'
import * as organizations from '../../store/access/organizations.ts'
import { rolledBack } from '../../store/db/rolled-back.ts'
import * as flows from '../../store/flows/flows.ts'
import { changeFlow, createFlow, readChanged, type Saving } from './change-flow.ts'

type Pushed = FlowPushResult['results'][number]

interface Options {
  force: boolean
  pathOf: (index: number) => string
}

/**
 * Stores pushed flows by their slugs, in the given order. All of them or none: throws a 400 with
 * the problems of all, or a 409 that names those that were edited here since they were pushed last,
 * unless `force`, or unless what is pushed is newer than the edit. A `dryRun` returns the same and
 * writes nothing; flows that it would create have no ids.
 */
export async function pushFlows(
  changing: Saving,
  pushed: readonly PushedFlow[],
  { dryRun, ...options }: Options & { dryRun: boolean },
): Promise<Pushed[]> {
  if (!dryRun) return pushAll(changing, pushed, options)
  const results = await rolledBack(changing.tx, (tx) =>
    pushAll({ ...changing, tx }, pushed, options),
  )
  return results.map((each) => (each.outcome === 'created' ? { ...each, id: null } : each))
}

async function pushAll(
  changing: Saving,
  pushed: readonly PushedFlow[],
  { force, pathOf }: Options,
): Promise<Pushed[]> {
  const { tx, organizationId } = changing
  refuseTwins(pushed, pathOf)
  // Before any flow: creating one locks the organization too.
  await organizations.lock(tx, organizationId)
  const problems: ErrorDetail[] = []
  const edited: ErrorDetail[] = []
  const results: Pushed[] = []
  for (const [index, each] of pushed.entries()) {
    try {
      const warnings: Saving['warnings'] = []
      const result = await pushFlow({ ...changing, warnings }, each, force)
      changing.warnings.push(
        ...warnings.map((warning) => ({ ...warning, path: `${pathOf(index)}${warning.path}` })),
      )
      if (result) results.push(result)
      else
        edited.push({
          path: `${pathOf(index)}slug`,
          message: `names ${each.slug}, which was edited here`,
        })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'BAD_REQUEST') throw error
      const details = error.details ?? []
      problems.push(
        ...details.map(({ path, message }) => ({
          path: `${pathOf(index)}${path}`,
          message: `${each.slug}: ${message}`,
        })),
      )
    }
  }
  const [first] = problems
  if (first)
    throw badRequest(`Nothing was pushed: ${first.message}`, problems, 'definition_invalid')
  if (edited.length > 0) {
    const message =
      'Workflows were edited here since they were pushed. Pull them first, or push with force'
    throw conflict(message, { reason: 'edited_since_push', details: edited })
  }
  return results
}

function refuseTwins(pushed: readonly PushedFlow[], pathOf: Options['pathOf']): void {
  const slugs = pushed.map(({ slug }) => slug)
  const twins = slugs.flatMap((slug, index) =>
    slugs.indexOf(slug) < index
      ? [{ path: `${pathOf(index)}slug`, message: `names ${slug}, which is repeated` }]
      : [],
  )
  const [first] = twins
  if (first) throw badRequest(`Nothing was pushed: ${first.path} ${first.message}`, twins)
}

/** Undefined: the flow was edited here after the version that the push is based on. */
async function pushFlow(
  changing: Saving,
  { slug, name, description = null, sourceHash = null, updatedAt, force, ...given }: PushedFlow,
  isForced: boolean,
): Promise<Pushed | undefined> {
  const { tx, organizationId } = changing
  const existingFlow = await flows.lock(tx, organizationId, slug)
  // Not one whose id looks like this slug.
  const flow = existingFlow?.slug === slug ? existingFlow : undefined
  if (!flow) {
    const createdFlow = await createFlow(
      changing,
      { name, slug, description, enabled: false },
      given,
    )
    await flows.markPushed(tx, organizationId, createdFlow.flow.id, sourceHash)
    return { slug, id: createdFlow.flow.id, outcome: 'created', version: 1 }
  }
  const isSame =
    flow.name === name &&
    flow.description === description &&
    (await readChanged(changing, flow, given)) === undefined
  if (isSame) {
    await flows.markPushed(tx, organizationId, flow.id, sourceHash)
    return { slug, id: flow.id, outcome: 'unchanged', version: flow.version }
  }
  const isEdited = flow.pushedAt === null || flow.editedAt > flow.pushedAt
  const isKnown = updatedAt !== undefined && Date.parse(updatedAt) >= Date.parse(flow.editedAt)
  if (isEdited && !isKnown && !isForced && !force) return undefined
  const values = { name, slug, description, enabled: flow.enabled }
  const { version } = await changeFlow(changing, flow, values, given)
  await flows.markPushed(tx, organizationId, flow.id, sourceHash)
  return { slug, id: flow.id, outcome: 'updated', version }
}
