import { isDeepStrictEqual } from 'node:util'
import { AppError, badRequest, conflict, refuse } from '../../domain/errors.ts'
import { slugTaken } from '../../domain/slugs.ts'
import { uuidv7 } from '../../ids.ts'
import type { Content } from '../../mail/content.ts'
import type { Contents } from '../../mail/content-checks.ts'
import type {
  PulledTemplate,
  PushedTemplate,
  TemplatePush,
} from '../../schemas/content/template-push.ts'
import * as templates from '../../store/content/templates.ts'
import type { TemplateRow, TemplateValues } from '../../store/content/templates.ts'
import { compileTemplate, isReserved, publishAll, type Writing } from './templates.ts'

/** What is pushed, and what became of it. */
interface Row {
  index: number
  pushed: TemplatePush
  values: Omit<TemplateValues, 'id'>
  content: Content
  found: TemplateRow | undefined
}

export interface Refused {
  index: number
  refusal: AppError
}

/** Compiles what is pushed. Throws a 400 with what is wrong with one. */
export const compilePushed = (contents: Contents, pushed: TemplatePush): Promise<Content> =>
  compileTemplate(contents, pushedValues(pushed))

/**
 * Makes templates say what is pushed, each by its slug, and publishes them, in a few statements
 * however many there are. Returns what became of each, and which were refused: what is wrong with
 * their content, or that they were edited here since they were pushed last, unless `force` or they
 * are newer than the edit.
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
      const content = await compilePushed(contents, pushed)
      requireKnown(pushed, found, force)
      rows.push({ index, pushed, values: pushedValues(pushed), content, found })
    } catch (error) {
      if (!(error instanceof AppError) || error.status === 503) throw error
      refusals.push({ index, refusal: error })
    }
  }
  return { results: await write(writing, rows), refusals }
}

/** 409 when a template was edited here since, and the push does not know of it. */
function requireKnown(pushed: TemplatePush, found: TemplateRow | undefined, force: boolean): void {
  if (!found || force || pushed.force || isSame(found, pushedValues(pushed))) return
  if (found.status === 'ARCHIVED') {
    throw conflict('The template is archived: take it back first', { reason: 'template_archived' })
  }
  const isEdited = found.pushedAt === null || found.editedAt > found.pushedAt
  const { updatedAt } = pushed
  const isKnown = updatedAt !== undefined && Date.parse(updatedAt) >= Date.parse(found.updatedAt)
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
  const publications = rows.flatMap(({ found, content, pushed }) => {
    const template = now.get(pushed.slug) ?? found
    if (!template) return []
    // What is archived and the same stays archived: nobody has said that it is to come back.
    const isDone =
      template.status === 'ARCHIVED' ||
      (template.status === 'PUBLISHED' && !template.hasUnpublishedChanges)
    return isDone && !now.has(pushed.slug) ? [] : [{ template, content }]
  })
  const published = await publishAll({ tx, organizationId }, publications)
  const bySlug = new Map(published.map((each) => [each.slug, each]))
  const results = rows.flatMap(({ pushed: { slug }, found }): PushedTemplate[] => {
    const template = bySlug.get(slug) ?? found
    if (!template) return []
    const isUnchanged = found !== undefined && !now.has(slug) && !bySlug.has(slug)
    const outcome = found ? (isUnchanged ? 'unchanged' : 'updated') : 'created'
    return [{ slug, id: template.id, outcome, version: template.version }]
  })
  await templates.markPushed(
    tx,
    organizationId,
    results.flatMap(({ id }) => id ?? []),
  )
  return results
}

/** A pushed template as it is stored. Throws a 400 when it says nothing. */
function pushedValues(pushed: TemplatePush): Omit<TemplateValues, 'id'> {
  const { slug, name, subject = null, previewText = null, variables = [] } = pushed
  const { sourceType = 'html', emailType = 'marketing', source, textContent = null } = pushed
  const { sourceHash = null, cliProjectPath = null, sesTemplateName = null } = pushed
  const { compiledHtml, compiledText = null } = pushed
  const marks = { sourceHash, cliProjectPath, sesTemplateName }
  const said = { slug, name, subject, previewText, emailType, variables, ...marks }
  if (source !== undefined) return { ...said, sourceType, source, textContent, isCompiled: false }
  if (compiledHtml === undefined) return refuse('source', 'is needed, or compiledHtml')
  const text = compiledText ?? textContent
  return { ...said, sourceType: 'html', source: compiledHtml, textContent: text, isCompiled: true }
}

const isSame = (found: TemplateRow, values: Omit<TemplateValues, 'id'>): boolean =>
  Object.entries(values).every(([name, value]) =>
    isDeepStrictEqual(Reflect.get(found, name), value),
  )

/** A template in the form that push takes. */
export function pulledOf(template: TemplateRow): PulledTemplate {
  const { source, textContent, isCompiled, ...said } = template
  if (!isCompiled) return { ...said, source, textContent }
  const compiledText = textContent === null ? {} : { compiledText: textContent }
  return { ...said, textContent: null, compiledHtml: source, ...compiledText }
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
