import { filtersOf } from '../../domain/audience/condition-check.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import { AppError, badRequest, type ErrorDetail } from '../../domain/errors.ts'
import { nameOf } from '../../domain/flows/flow-check.ts'
import { liquidTextsOf, MOST_LIQUID_TEXTS } from '../../domain/flows/liquid-values.ts'
import type { Definition, Step, StepOf } from '../../domain/flows/flow.ts'
import {
  type CallingType,
  isCalling,
  isMailing,
  namesTopic,
  rulesOf,
  withConditions,
} from '../../domain/flows/steps/index.ts'
import type { MailConfig, StepContent } from '../../domain/flows/steps/rules.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import { FetchError } from '../../net/fetch-error.ts'
import { targetOf } from '../../net/target.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as topics from '../../store/consent/topics.ts'
import * as templates from '../../store/content/templates.ts'
import { awaitChecks, type Contents } from '../../mail/content-checks.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import { type NoSender, rememberAccounts, resolveAccount } from '../accounts/resolve-sender.ts'
import { checkTriggerSegment } from './trigger-checks.ts'

export function refuse(problems: readonly ErrorDetail[]): void {
  const [first] = problems
  if (!first) return
  // A longer list would help no reader.
  const most = problems.slice(0, 100)
  throw badRequest(`The workflow cannot be saved: ${first.message}`, most, 'definition_invalid')
}

export const checkContents = async (
  contents: Contents,
  steps: readonly Step[],
): Promise<ErrorDetail[]> =>
  (await Promise.all(steps.map((step, index) => checkContent(contents, step, index)))).flat()

/**
 * Starts the check of a request's steps before its transaction is open. The transaction finds the
 * results.
 */
export const checkAhead = (contents: Contents, steps: readonly Step[]): Promise<void> =>
  awaitChecks(
    steps.flatMap((step, index) => [
      checkContent(contents, step, index),
      isMailing(step) ? rootsOfSubject(contents, step.config, index) : Promise.resolve(),
    ]),
  )

const rootsOfSubject = async (
  contents: Contents,
  { templateId, subject }: MailConfig,
  index: number,
): Promise<Set<string>> =>
  templateId === undefined || subject === undefined
    ? new Set()
    : contents.roots('plain', subject, `steps[${index}].config.subject`)

async function checkContent(contents: Contents, step: Step, index: number): Promise<ErrorDetail[]> {
  const path = `steps[${index}].config`
  const content = rulesOf(step).content?.(step.config)
  return [
    ...(isCalling(step) ? checkTarget(step, path) : []),
    ...(content ? await contentProblems(step, content, { contents, path }) : []),
    ...(await valueProblems(contents, step, path)),
  ]
}

async function valueProblems(contents: Contents, step: Step, path: string): Promise<ErrorDetail[]> {
  const texts = liquidTextsOf(step)
  if (texts.length === 0) return []
  const report = (at: string, message: string): ErrorDetail => ({
    path: `${path}.${at}`,
    message: `${nameOf(step)}: config.${at}: ${message}`,
  })
  const [first] = texts
  if (first && texts.length > MOST_LIQUID_TEXTS) {
    return [report(first.path, `More than ${MOST_LIQUID_TEXTS} values of this step are Liquid`)]
  }
  const sources = texts.map(({ text }) => text)
  const problems = await contents.values(sources, path)
  return texts.flatMap(({ path: at }, index) =>
    (problems[index] ?? []).map((message) => report(at, message)),
  )
}

function checkTarget(step: StepOf<CallingType>, path: string): ErrorDetail[] {
  try {
    targetOf(step.config.url)
    return []
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    const message = `${nameOf(step)}: config.url cannot be called: ${error.message}`
    return [{ path: `${path}.url`, message }]
  }
}

async function contentProblems(
  step: Step,
  { field, ...content }: StepContent,
  { contents, path: at }: { contents: Contents; path: string },
): Promise<ErrorDetail[]> {
  const body = `${at}.${field}`
  try {
    await contents.compile(content, {
      subject: `${at}.subject`,
      previewText: at,
      html: body,
      text: body,
      variables: `${at}.variables`,
    })
    return []
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'BAD_REQUEST') throw error
    return (error.details ?? []).map(({ path, message }) => ({
      path,
      message: `${nameOf(step)}: ${path.replace(/^steps\[\d+\]\./, '')}: ${message}`,
    }))
  }
}

export interface Checking {
  tx: Transaction
  organizationId: Uuid
  contents: Contents
}

/**
 * Checks that the trigger's segment and the steps' templates and accounts exist. Throws a 402 if
 * the plan has no segments.
 */
export async function checkReferences(
  { tx, organizationId, contents }: Checking,
  { trigger, steps }: Definition,
): Promise<void> {
  const problems = await checkTriggerSegment(tx, organizationId, trigger)
  for (const [index, step] of steps.entries()) {
    if (!isMailing(step)) continue
    const { templateId, cloudAccountId, subject, variables = {} } = step.config
    const report = (name: string, message: string) =>
      problems.push({
        path: `steps[${index}].config.${name}`,
        message: `${nameOf(step)}: config.${name} ${message}`,
      })
    if (templateId !== undefined) {
      const template = isUuid(templateId)
        ? await templates.find(tx, organizationId, templateId)
        : undefined
      if (!template) {
        await refuseForeign(tx, 'template', organizationId, templateId)
        report('templateId', 'does not exist')
      } else {
        if (template.subject === null && subject === undefined) {
          report('subject', 'is required, since the template has none')
        }
        // A misspelt name would render its fallback in every mail without any error.
        const own = await rootsOfSubject(contents, step.config, index)
        const knownNames = new Set([...own, ...template.variables.map(({ name }) => name)])
        for (const name of Object.keys(variables)) {
          if (!knownNames.has(name))
            report(`variables.${name}`, 'is not a variable of the template')
        }
      }
    }
    if (cloudAccountId !== undefined) {
      const account = await resolveAccount(tx, organizationId, { cloudAccountId })
      // A flow may name an account that is disconnected for now.
      if ('problem' in account && account.problem !== 'disconnected') {
        await refuseForeign(tx, 'connection', organizationId, cloudAccountId)
        report('cloudAccountId', account.message)
      }
    }
  }
  refuse(problems)
}

/**
 * Throws a 400 that names the step if the flow could not run. Its resources may be deleted later;
 * then its steps fail with the reason.
 */
export async function requireRunnable(
  tx: Transaction,
  organizationId: Uuid,
  definition: Definition,
): Promise<void> {
  const { trigger, steps } = definition
  const problems = await checkTriggerSegment(tx, organizationId, trigger)
  const accountOf = rememberAccounts()
  const used = steps.flatMap((step) => (isMailing(step) ? (step.config.templateId ?? []) : []))
  // Whoever deletes or archives one waits, and then sees the flow.
  await templates.keep(tx, organizationId, used.filter(isUuid))
  problems.push(...(await keepTopics(tx, organizationId, definition)))
  for (const [index, step] of steps.entries()) {
    const report = (name: string, message: string) =>
      problems.push({
        path: `steps[${index}].config${name}`,
        message: `${nameOf(step)}: ${message}`,
      })
    const { lacks } = rulesOf(step)
    if (lacks !== undefined) report('', lacks)
    if (!isMailing(step)) continue
    const { templateId } = step.config
    if (templateId !== undefined) {
      const published = await templates.findPublished(tx, organizationId, templateId)
      if (!published) report('.templateId', 'its template is not published')
    }
    const account = await accountOf(tx, organizationId, step.config)
    if ('problem' in account) report('.cloudAccountId', problemOf(account))
  }
  const [first] = problems
  if (first) {
    throw badRequest(`The workflow cannot run: ${first.message}`, problems, 'workflow_not_runnable')
  }
}

/**
 * Locks the named topics against deletion until the transaction ends. Returns names without a
 * topic.
 */
async function keepTopics(
  tx: Transaction,
  organizationId: Uuid,
  { trigger, steps, settings }: Definition,
): Promise<ErrorDetail[]> {
  const topicReferences: { id: string; path: string; where: string }[] = []
  const add = (id: unknown, path: string, where: string) => {
    if (typeof id === 'string' && isUuid(id)) topicReferences.push({ id, path, where })
  }
  const addAsked = (condition: Condition | undefined, path: string, where: string) => {
    for (const { field, value } of condition ? filtersOf(condition) : []) {
      if (field === 'topics') add(value, path, where)
    }
  }
  if ('topicId' in trigger) add(trigger.topicId, 'triggerConfig.topicId', 'triggerConfig.topicId')
  for (const [index, step] of steps.entries()) {
    const path = `steps[${index}].config`
    if (namesTopic(step)) {
      add(step.config.topicId, `${path}.topicId`, `${nameOf(step)}: config.topicId`)
    }
    withConditions(step, (condition, at) => {
      addAsked(condition, `${path}.${at}`, `${nameOf(step)}: config.${at}`)
      return condition
    })
  }
  const exit = 'settings.exitOn.condition'
  addAsked(settings.exitOn.condition, exit, exit)
  const ids = topicReferences.map(({ id }) => id)
  const lockedTopics = await topics.keep(tx, organizationId, ids)
  return topicReferences.flatMap(({ id, path, where }) =>
    lockedTopics.has(id.toLowerCase())
      ? []
      : [{ path, message: `${where} names a topic that is deleted` }],
  )
}

function problemOf({ problem, message }: NoSender): string {
  if (problem === 'several') return message
  return problem === 'none' ? 'no account is connected' : 'the account is disconnected'
}
