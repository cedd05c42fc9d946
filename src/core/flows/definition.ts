import { mapFilters } from '../../domain/audience/condition-check.ts'
import type { Condition, Filter } from '../../domain/audience/condition.ts'
import type { ErrorDetail } from '../../domain/errors.ts'
import { checkDraft, nameOf } from '../../domain/flows/flow-check.ts'
import {
  type FormerHeaders,
  type Headers,
  hideHeaders,
  isSameOrigin,
  keepHidden,
} from '../../domain/flows/flow-headers.ts'
import type { Definition } from '../../domain/flows/flow.ts'
import { isCalling, withConditions, withConfig } from '../../domain/flows/steps/index.ts'
import { shown } from '../../domain/text.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { FlowDefinitionInput } from '../../schemas/flows/flow.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as topics from '../../store/consent/topics.ts'
import type { Contents } from '../../mail/content-checks.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import { namingAccounts } from './senders.ts'
import { draftOf, type TopicName, topicNames } from './draft.ts'
import { checkAhead, checkContents, checkReferences, type Checking, refuse } from './rules.ts'

/**
 * Returns the definition of a body in its stored form, and the headers that are stored beside it.
 * `former`: the former headers, for `***`. Throws a 400 with every problem, naming steps, and a 403
 * if it names a resource of another organization.
 */
export async function readDefinition(
  checking: Checking,
  input: FlowDefinitionInput,
  former: FormerHeaders = new Map(),
): Promise<{ definition: Definition; headers: Headers }> {
  const { tx, organizationId, contents } = checking
  const topicsNamed = await findTopics(tx, organizationId, topicNames(input))
  const restored = withFormer(input, former)
  const { draft, problems } = draftOf(restored.input, (path) => topicsNamed.ids.get(path))
  refuse([...topicsNamed.problems, ...restored.problems, ...problems])
  const checked = checkDraft(draft)
  refuse(checked.problems)
  if (!checked.definition) throw new Error('a definition without problems is one')
  refuse(await checkContents(contents, checked.definition.steps))
  const namedDefinition = await namingTopics(tx, organizationId, checked.definition)
  const { definition, problems: unnamed } = await namingAccounts(
    tx,
    organizationId,
    namedDefinition,
  )
  refuse(unnamed)
  await checkReferences(checking, definition)
  return hideHeaders(definition)
}

export const prepareDefinition = (contents: Contents, input: FlowDefinitionInput): Promise<void> =>
  checkAhead(contents, draftOf(input, () => undefined).draft.steps)

/**
 * Replaces `***` by the former values of headers if they are sent to the same origin. A person who
 * may write a workflow must not read its secrets by sending them to another host.
 */
function withFormer(input: FlowDefinitionInput, former: FormerHeaders) {
  const problems: ErrorDetail[] = []
  const steps = input.steps.map((step, index) => {
    if (!isCalling(step) || step.config.headers === undefined) return step
    const before = former.get(step.id)
    const isElsewhere = before !== undefined && !isSameOrigin(before.url, step.config.url)
    const headers = keepHidden(step.config.headers, isElsewhere ? {} : before?.values)
    for (const [name, value] of headers) {
      if (value !== undefined) continue
      const path = `steps[${index}].config.headers.${shown(name)}`
      const why = isElsewhere
        ? 'is required again, since config.url now leads to another host'
        : 'has no former value for ***'
      const message = `${nameOf(step)}: config.headers.${shown(name)} ${why}`
      problems.push({ path, message })
    }
    const values = Object.fromEntries(headers.map(([name, value]) => [name, value ?? '-']))
    return withConfig(step, { ...step.config, headers: values })
  })
  return { input: { ...input, steps }, problems }
}

async function findTopics(tx: Transaction, organizationId: Uuid, names: readonly TopicName[]) {
  const idsByName = await topics.identify(tx, organizationId, {
    topicIds: names.flatMap(({ topicId }) => topicId ?? []),
    topicSlugs: names.flatMap(({ topicSlug }) => topicSlug ?? []),
  })
  const ids = new Map<string, string>()
  const problems: ErrorDetail[] = []
  for (const { path, where, topicId, topicSlug, isNeeded } of names) {
    const name = topicId === undefined && topicSlug !== undefined ? 'topicSlug' : 'topicId'
    const report = (message: string) =>
      problems.push({ path: `${path}.${name}`, message: `${where}.${name} ${message}` })
    const value = topicId ?? topicSlug
    if (value === undefined) {
      if (isNeeded) report('or topicSlug is required')
      continue
    }
    const id = idsByName.get(topicId === undefined ? value : value.toLowerCase())
    if (id === undefined) {
      if (topicId !== undefined) await refuseForeign(tx, 'topic', organizationId, topicId)
      report('does not exist')
    } else if (topicSlug !== undefined && idsByName.get(topicSlug) !== id) {
      report('and topicSlug name different topics')
    } else {
      ids.set(path, id)
    }
  }
  return { ids, problems }
}

/**
 * Returns the definition with the ids of the topics in its conditions, so that slugs may change.
 */
async function namingTopics(
  tx: Transaction,
  organizationId: Uuid,
  definition: Definition,
): Promise<Definition> {
  const topicValues: { path: string; value: string; where: string }[] = []
  const topicOf = ({ field, value }: Filter) =>
    field === 'topics' && typeof value === 'string' ? value : undefined
  const collect = (condition: Condition, path: string, where: string) =>
    mapFilters(condition, path, (filter, at) => {
      const value = topicOf(filter)
      if (value !== undefined) topicValues.push({ path: `${at}.value`, value, where })
      return filter
    })
  definition.steps.forEach((step, index) => {
    withConditions(step, (condition, path) =>
      collect(condition, `steps[${index}].config.${path}`, `${nameOf(step)}: config.${path}:`),
    )
  })
  const { condition: exit } = definition.settings.exitOn
  if (exit) collect(exit, 'settings.exitOn.condition', 'settings.exitOn.condition:')

  const values = topicValues.map(({ value }) => value)
  const idsByName = await topics.identify(tx, organizationId, {
    topicIds: values,
    topicSlugs: values,
  })
  const idOf = (value: string) => idsByName.get(value.toLowerCase()) ?? idsByName.get(value)
  refuse(
    topicValues.flatMap(({ path, value, where }) =>
      idOf(value) === undefined
        ? [{ path, message: `${where} ${value} is not the id or slug of a topic` }]
        : [],
    ),
  )
  const renamed = (condition: Condition) =>
    mapFilters(condition, '', (filter) => {
      const value = topicOf(filter)
      return value === undefined ? filter : { ...filter, value: idOf(value) }
    })
  const { settings } = definition
  return {
    ...definition,
    steps: definition.steps.map((step) => withConditions(step, renamed)),
    settings: exit
      ? { ...settings, exitOn: { ...settings.exitOn, condition: renamed(exit) } }
      : settings,
  }
}
