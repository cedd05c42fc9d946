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

interface Row {
  pushed: TemplatePush
  values: Values
  template: TemplateRow | undefined
  /** Content to publish. Undefined: the push changes nothing that mail contains. */
  content: Content | undefined
}

type Values = Omit<TemplateValues, 'id'>

export interface Refused {
  index: number
  refusal: AppError
}

/**
 * Compiles the templates that a push will publish, before its transaction is open. Their problems
 * are reported by the push itself.
 */
export async function prepareTemplates(
  { sql, organizationId, contents }: { sql: Executor } & Omit<Writing, 'tx'>,
  pushes: readonly TemplatePush[],
): Promise<void> {
  const slugs = pushes.map(({ slug }) => slug)
  const existingTemplates = await templates.listBySlugs(sql, organizationId, slugs)
  const bySlug = new Map(existingTemplates.map((each) => [each.slug, each]))
  await awaitChecks(
    pushes.map(async (pushed) => {
      const template = bySlug.get(pushed.slug)
      const values = pushedValues(pushed, template)
      if (!template || changesContent(template, values)) await compileTemplate(contents, values)
    }),
  )
}

/**
 * Stores pushed templates by their slugs, in a constant number of statements, and publishes those
 * whose content the push changes. Others stay as they are: a draft stays a draft, and unpublished
 * changes stay unpublished. Returns each outcome, and the refused ones: because of problems with
 * their content, or because they were edited here since their last push, unless `force` is set or
 * the push is newer than the edit.
 */
export async function pushTemplates(
  writing: Writing,
  pushes: readonly { index: number; pushed: TemplatePush }[],
  force: boolean,
): Promise<{ results: PushedTemplate[]; refusals: Refused[] }> {
  const { tx, organizationId, contents } = writing
  const slugs = pushes.map(({ pushed }) => pushed.slug)
  const refusals: Refused[] = []
  const rows: Row[] = []
  const lockedTemplates = await templates.lockBySlugs(tx, organizationId, slugs)
  const bySlug = new Map(lockedTemplates.map((each) => [each.slug, each]))
  const seenSlugs = new Set<string>()
  for (const { index, pushed } of pushes) {
    try {
      const template = bySlug.get(pushed.slug)
      if (seenSlugs.has(pushed.slug)) refuse('slug', `is repeated: ${pushed.slug}`)
      seenSlugs.add(pushed.slug)
      if (isReserved(pushed.slug)) throw slugTaken('template')
      const values = pushedValues(pushed, template)
      const isPublished = !template || changesContent(template, values)
      const content = isPublished ? await compileTemplate(contents, values) : undefined
      requireKnown(pushed, values, template, force)
      rows.push({ pushed, values, template, content })
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'INTERNAL_ERROR') throw error
      refusals.push({ index, refusal: error })
    }
  }
  return { results: await write(writing, rows), refusals }
}

/** Throws a 409 if the template was edited here since the version that the push is based on. */
function requireKnown(
  pushed: TemplatePush,
  values: Values,
  template: TemplateRow | undefined,
  force: boolean,
): void {
  if (!template || force || pushed.force || isSame(template, values)) return
  if (template.status === 'ARCHIVED') {
    throw conflict('The template is archived. Restore it first', { reason: 'template_archived' })
  }
  const isEdited = template.pushedAt === null || template.editedAt > template.pushedAt
  const { updatedAt } = pushed
  const isKnown = updatedAt !== undefined && Date.parse(updatedAt) >= Date.parse(template.editedAt)
  if (!isEdited || isKnown) return
  throw conflict('It was edited here after its last push. Pull it, or push with force', {
    reason: 'edited_since_push',
    details: [{ path: 'slug', message: `names ${pushed.slug}, which was edited here` }],
  })
}

async function write(
  { tx, organizationId }: Writing,
  rows: readonly Row[],
): Promise<PushedTemplate[]> {
  const added = rows
    .filter(({ template: found }) => !found)
    .map(({ values }) => ({ ...values, id: uuidv7() }))
  const changed = rows.flatMap(({ template: found, values }) =>
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
  const results = rows.flatMap(({ pushed: { slug }, template: found }): PushedTemplate[] => {
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
 * Returns a pushed template in its stored form. A source with compiled HTML and without a type is
 * the code of that HTML, and is not stored. Throws a 400 if the template is empty.
 */
export function pushedValues(pushed: TemplatePush, template?: TemplateRow): Values {
  const { slug, name = template?.name ?? slug, sourceType, emailType = 'marketing' } = pushed
  const { sourceHash = null, cliProjectPath = null, sesTemplateName = null } = pushed
  const { variables = [] } = pushed
  const source = textOrNull(pushed.source)
  const compiledHtml = textOrNull(pushed.compiledHtml)
  const textContent = textOrNull(pushed.textContent)
  const subject = textOrNull(pushed.subject)
  const previewText = textOrNull(pushed.previewText)
  const marks = { sourceHash, cliProjectPath, sesTemplateName }
  const values = { slug, name, subject, previewText, emailType, variables, ...marks }
  if (source !== null && (compiledHtml === null || sourceType !== undefined)) {
    return { ...values, sourceType: sourceType ?? 'html', source, textContent, isCompiled: false }
  }
  if (compiledHtml === null) return refuse('source', 'is required, or compiledHtml')
  const text = textOrNull(pushed.compiledText) ?? textContent
  return {
    ...values,
    sourceType: 'html',
    source: compiledHtml,
    textContent: text,
    isCompiled: true,
  }
}

const textOrNull = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === '' ? null : text

const isSame = (template: TemplateRow, values: Values): boolean =>
  Object.entries(values).every(([name, value]) =>
    isDeepStrictEqual(Reflect.get(template, name), value),
  )

/**
 * Returns whether a push changes content that mail contains. Names and marks of the pusher do not
 * count.
 */
const changesContent = (template: TemplateRow, values: Values): boolean =>
  !isDeepStrictEqual(contentOf(template), contentOf(values))

function contentOf(template: TemplateSource): TemplateSource {
  const { subject, previewText, sourceType, source, textContent, isCompiled } = template
  const { emailType, variables } = template
  return { subject, previewText, sourceType, source, textContent, isCompiled, emailType, variables }
}

/** Returns a template in the form that push takes, with its published version if that differs. */
export function pulledOf({ published, ...template }: PulledTemplateRow): PulledTemplate {
  if (!published) return { ...writtenOf(template), published }
  return { ...writtenOf(template), published: writtenOf(published) }
}

/** Returns content in the form that push takes. Precompiled content has fields of its own. */
function writtenOf<Template extends TemplateSource>(template: Template) {
  const { source, textContent, isCompiled, ...fields } = template
  if (!isCompiled) return { ...fields, source, textContent }
  const compiledText = textContent === null ? {} : { compiledText: textContent }
  return { ...fields, textContent: null, compiledHtml: source, ...compiledText }
}

/**
 * Returns the refusal of a push that stores all or none: the problems of all, otherwise the
 * conflicts of all.
 */
export function wholeRefusal(
  refusals: readonly Refused[],
  pathOf: (index: number) => string,
): AppError {
  const errors = refusals.flatMap(({ index, refusal }) =>
    (refusal.details ?? [{ path: '', message: refusal.message }]).map(({ path, message }) => ({
      path: `${pathOf(index)}${path}`,
      message,
    })),
  )
  const wrong = refusals.find(({ refusal }) => refusal.code === 'BAD_REQUEST')
  const [first] = errors
  if (wrong) return badRequest(`Nothing was pushed: ${first?.path} ${first?.message}`, errors)
  const reason = refusals[0]?.refusal.reason
  const message = `Nothing was pushed: ${refusals[0]?.refusal.message}`
  return conflict(message, { details: errors, ...(reason === undefined ? {} : { reason }) })
}
