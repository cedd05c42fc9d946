import { isDeepStrictEqual } from 'node:util'
import { AppError, badRequest, conflict, refuse } from '../../domain/errors.ts'
import { slugTaken } from '../../domain/slugs.ts'
import { uuidv7 } from '../../runtime/ids.ts'
import type { Content } from '../../mail/content.ts'
import { awaitChecks } from '../../mail/content-checks.ts'
import type {
  PulledTemplate,
  PushedTemplate,
  TemplatePush,
} from '../../schemas/content/template-push.ts'
import * as templates from '../../store/content/templates.ts'
import type {
  PulledTemplateRow,
  TemplateRow,
  TemplateSource,
  TemplateValues,
} from '../../store/content/templates.ts'
import type { Executor } from '../../store/db/sql.ts'
import { compileTemplate, isReserved, publishAll, type Writing } from './templates.ts'

/** What is pushed, and the template that it is about. */
interface Row {
  pushed: TemplatePush
  values: Values
  found: TemplateRow | undefined
  /** The content that is published. Undefined: nothing of what mail is made of changes. */
  content: Content | undefined
}

type Values = Omit<TemplateValues, 'id'>

export interface Refused {
  index: number
  refusal: AppError
}

/**
 * Compiles the templates of a push that it will publish, before its transaction is open. What is
 * wrong with them is found again by the push.
 */
export async function prepareTemplates(
  { sql, organizationId, contents }: { sql: Executor } & Omit<Writing, 'tx'>,
  given: readonly TemplatePush[],
): Promise<void> {
  const slugs = given.map(({ slug }) => slug)
  const known = await templates.listBySlugs(sql, organizationId, slugs)
  const bySlug = new Map(known.map((each) => [each.slug, each]))
  await awaitChecks(
    given.map(async (pushed) => {
      const found = bySlug.get(pushed.slug)
      const values = pushedValues(pushed, found)
      if (!found || changesContent(found, values)) await compileTemplate(contents, values)
    }),
  )
}

/**
 * Makes templates say what is pushed, each by its slug, in a few statements however many there are,
 * and publishes those of which the push changes what mail is made of. Others stay as they are: a
 * draft stays a draft, and unpublished changes stay unpublished. Returns what became of each, and
 * which were refused: what is wrong with their content, or that they were edited here since they
 * were pushed last, unless `force` or they are newer than the edit.
 */
export async function pushTemplates(
  writing: Writing,
  given: readonly { index: number; pushed: TemplatePush }[],
  force: boolean,
): Promise<{ results: PushedTemplate[]; refusals: Refused[] }> {
  const { tx, organizationId, contents } = writing
  const slugs = given.map(({ pushed }) => pushed.slug)
  const refusals: Refused[] = []
  const rows: Row[] = []
  const known = await templates.lockBySlugs(tx, organizationId, slugs)
  const bySlug = new Map(known.map((each) => [each.slug, each]))
  const seen = new Set<string>()
  for (const { index, pushed } of given) {
    try {
      const found = bySlug.get(pushed.slug)
      if (seen.has(pushed.slug)) refuse('slug', `is there twice: ${pushed.slug}`)
      seen.add(pushed.slug)
      if (isReserved(pushed.slug)) throw slugTaken('template')
      const values = pushedValues(pushed, found)
      const isPublished = !found || changesContent(found, values)
      const content = isPublished ? await compileTemplate(contents, values) : undefined
      requireKnown(pushed, values, found, force)
      rows.push({ pushed, values, found, content })
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'INTERNAL_ERROR') throw error
      refusals.push({ index, refusal: error })
    }
  }
  return { results: await write(writing, rows), refusals }
}

/** 409 when a template was edited here since, and the push does not know of it. */
function requireKnown(
  pushed: TemplatePush,
  values: Values,
  found: TemplateRow | undefined,
  force: boolean,
): void {
  if (!found || force || pushed.force || isSame(found, values)) return
  if (found.status === 'ARCHIVED') {
    throw conflict('The template is archived: take it back first', { reason: 'template_archived' })
  }
  const isEdited = found.pushedAt === null || found.editedAt > found.pushedAt
  const { updatedAt } = pushed
  const isKnown = updatedAt !== undefined && Date.parse(updatedAt) >= Date.parse(found.editedAt)
  if (!isEdited || isKnown) return
  throw conflict('It was edited here since it was pushed: pull it, or push with force', {
    reason: 'edited_since_push',
    details: [{ path: 'slug', message: `names ${pushed.slug}, which was edited here` }],
  })
}

async function write(
  { tx, organizationId }: Writing,
  rows: readonly Row[],
): Promise<PushedTemplate[]> {
  const added = rows
    .filter(({ found }) => !found)
    .map(({ values }) => ({ ...values, id: uuidv7() }))
  const changed = rows.flatMap(({ found, values }) =>
    found && !isSame(found, values) ? [{ ...values, id: found.id }] : [],
  )
  const created = added.length > 0 ? await templates.createAll(tx, organizationId, added) : []
  // Somebody has created it just now: the caller tries again, and updates it.
  if (created.length < added.length) throw slugTaken('template')
  const updated = changed.length > 0 ? await templates.updateAll(tx, organizationId, changed) : []
  const now = new Map([...created, ...updated].map((each) => [each.slug, each]))
  const publications = rows.flatMap(({ content, pushed }) => {
    const template = now.get(pushed.slug)
    return template && content ? [{ template, content }] : []
  })
  const published = await publishAll({ tx, organizationId }, publications)
  const bySlug = new Map(published.map((each) => [each.slug, each]))
  const results = rows.flatMap(({ pushed: { slug }, found }): PushedTemplate[] => {
    const template = bySlug.get(slug) ?? now.get(slug) ?? found
    if (!template) return []
    const outcome = found ? (now.has(slug) ? 'updated' : 'unchanged') : 'created'
    const { id, version, status, hasUnpublishedChanges } = template
    return [{ slug, id, outcome, version, status, hasUnpublishedChanges }]
  })
  await templates.markPushed(
    tx,
    organizationId,
    results.flatMap(({ id }) => id ?? []),
  )
  return results
}

/**
 * A pushed template as it is stored. A source that comes with compiled HTML and without a type is
 * the code that the HTML was made of, and is not kept. Throws a 400 when the template says nothing.
 */
export function pushedValues(pushed: TemplatePush, found?: TemplateRow): Values {
  const { slug, name = found?.name ?? slug, sourceType, emailType = 'marketing' } = pushed
  const { sourceHash = null, cliProjectPath = null, sesTemplateName = null } = pushed
  const { variables = [] } = pushed
  const source = textOrNull(pushed.source)
  const compiledHtml = textOrNull(pushed.compiledHtml)
  const textContent = textOrNull(pushed.textContent)
  const subject = textOrNull(pushed.subject)
  const previewText = textOrNull(pushed.previewText)
  const marks = { sourceHash, cliProjectPath, sesTemplateName }
  const said = { slug, name, subject, previewText, emailType, variables, ...marks }
  if (source !== null && (compiledHtml === null || sourceType !== undefined)) {
    return { ...said, sourceType: sourceType ?? 'html', source, textContent, isCompiled: false }
  }
  if (compiledHtml === null) return refuse('source', 'is needed, or compiledHtml')
  const text = textOrNull(pushed.compiledText) ?? textContent
  return { ...said, sourceType: 'html', source: compiledHtml, textContent: text, isCompiled: true }
}

/** Null for a text that says nothing. */
const textOrNull = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === '' ? null : text

const isSame = (found: TemplateRow, values: Values): boolean =>
  Object.entries(values).every(([name, value]) =>
    isDeepStrictEqual(Reflect.get(found, name), value),
  )

/** Whether a push changes what mail is made of. A name and marks of the pusher are not of it. */
const changesContent = (found: TemplateRow, values: Values): boolean =>
  !isDeepStrictEqual(contentOf(found), contentOf(values))

function contentOf(template: TemplateSource): TemplateSource {
  const { subject, previewText, sourceType, source, textContent, isCompiled } = template
  const { emailType, variables } = template
  return { subject, previewText, sourceType, source, textContent, isCompiled, emailType, variables }
}

/** A template in the form that push takes, with its published version where that differs. */
export function pulledOf({ published, ...template }: PulledTemplateRow): PulledTemplate {
  if (!published) return { ...writtenOf(template), published }
  return { ...writtenOf(template), published: writtenOf(published) }
}

/** Content in the form that push takes: what came compiled is in fields of its own. */
function writtenOf<Template extends TemplateSource>(template: Template) {
  const { source, textContent, isCompiled, ...others } = template
  if (!isCompiled) return { ...others, source, textContent }
  const compiledText = textContent === null ? {} : { compiledText: textContent }
  return { ...others, textContent: null, compiledHtml: source, ...compiledText }
}

/** One refusal of a push that keeps all or none: what is wrong with all, else who edited what. */
export function wholeRefusal(
  refusals: readonly Refused[],
  pathOf: (index: number) => string,
): AppError {
  const told = refusals.flatMap(({ index, refusal }) =>
    (refusal.details ?? [{ path: '', message: refusal.message }]).map(({ path, message }) => ({
      path: `${pathOf(index)}${path}`,
      message,
    })),
  )
  const wrong = refusals.find(({ refusal }) => refusal.code === 'BAD_REQUEST')
  const [first] = told
  if (wrong) return badRequest(`Nothing was pushed: ${first?.path} ${first?.message}`, told)
  const reason = refusals[0]?.refusal.reason
  const message = `Nothing was pushed: ${refusals[0]?.refusal.message}`
  return conflict(message, { details: told, ...(reason === undefined ? {} : { reason }) })
}
