import { isDeepStrictEqual } from 'node:util'
import { conflict } from '../../domain/errors.ts'
import { slugTaken, underSlug } from '../../domain/slugs.ts'
import { requireUnmodified } from '../../domain/unmodified.ts'
import { isUuid, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { Content, ContentPaths, ContentSource } from '../../mail/content.ts'
import type { Contents } from '../../mail/content-checks.ts'
import type { TemplateInput, TemplatePatch } from '../../schemas/content/template.ts'
import * as contents from '../../store/content/contents.ts'
import * as versions from '../../store/content/template-versions.ts'
import * as templates from '../../store/content/templates.ts'
import type { TemplateRow, TemplateSource, TemplateValues } from '../../store/content/templates.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { missing } from '../access/ownership.ts'
import { requireUnused } from '../access/require-unused.ts'

export const TEMPLATE_PATHS: ContentPaths = {
  subject: 'subject',
  previewText: 'previewText',
  html: 'source',
  text: 'textContent',
  variables: 'variables',
}
/** Words of paths under `/v1/templates/`, which cannot be slugs. */
const RESERVED_SLUGS = ['push', 'pull', 'preview']
const LONGEST_NAME = 200
const NOT_PUSHED = { sourceHash: null, cliProjectPath: null, sesTemplateName: null }

export interface Writing {
  tx: Transaction
  organizationId: Uuid
  contents: Contents
}

export const templateSource = (template: TemplateSource): ContentSource => {
  const { subject, previewText, source: html, sourceType, isCompiled, variables } = template
  return {
    subject,
    previewText,
    html,
    sourceType,
    isCompiled,
    text: template.textContent,
    variables,
  }
}

/** Compiles what a template says. Throws a 400 with what is wrong. */
export const compileTemplate = (checked: Contents, template: TemplateSource): Promise<Content> =>
  checked.compile(templateSource(template), TEMPLATE_PATHS)

export function valuesOf(input: TemplateInput): Omit<TemplateValues, 'id' | 'slug'> {
  const { name, subject = null, previewText = null, source, textContent = null } = input
  const { sourceType = 'html', emailType = 'marketing', variables = [] } = input
  const fields = {
    name,
    subject,
    previewText,
    sourceType,
    source,
    textContent,
    emailType,
    variables,
  }
  return { ...fields, isCompiled: false, ...NOT_PUSHED }
}

/**
 * Creates a draft with this slug, or with one derived from its name. Throws a 409 if the slug is
 * taken.
 */
export async function createTemplate(
  { tx, organizationId }: Pick<Writing, 'tx' | 'organizationId'>,
  { slug, ...values }: Omit<TemplateValues, 'id' | 'slug'> & { slug?: string | undefined },
): Promise<TemplateRow> {
  const id = uuidv7()
  const slugWish = { name: values.name, id, fallback: 'template' }
  const created = await underSlug(
    slug === undefined ? slugWish : { ...slugWish, slug },
    async (free) =>
      RESERVED_SLUGS.includes(free)
        ? undefined
        : templates.create(tx, organizationId, { ...values, id, slug: free }),
  )
  return created ?? Promise.reject(slugTaken('template'))
}

export const isReserved = (slug: string): boolean => RESERVED_SLUGS.includes(slug)

/** Finds a template by id or slug. Throws a 403 or 404 if the organization has none. */
export async function requireTemplate(
  sql: Executor,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<TemplateRow> {
  const template = isUuid(idOrSlug)
    ? await templates.find(sql, organizationId, idOrSlug)
    : await templates.findBySlug(sql, organizationId, idOrSlug)
  return template ?? Promise.reject(await missing(sql, 'template', organizationId, idOrSlug))
}

export async function lockTemplate(
  tx: Transaction,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<TemplateRow> {
  const { id } = await requireTemplate(tx, organizationId, idOrSlug)
  const locked = await templates.lock(tx, organizationId, id)
  return locked ?? Promise.reject(await missing(tx, 'template', organizationId, idOrSlug))
}

/**
 * Publishes templates that are locked or new, each with its content, and returns their state
 * afterwards. A template whose newest version is equal gets no other.
 */
export async function publishAll(
  { tx, organizationId }: Pick<Writing, 'tx' | 'organizationId'>,
  publications: readonly { template: TemplateRow; content: Content }[],
): Promise<TemplateRow[]> {
  const ids = publications.map(({ template }) => template.id)
  const newest = await versions.listNewest(tx, organizationId, ids)
  const isSame = ({ template, content }: (typeof publications)[number]): boolean => {
    const newestVersion = newest.find(({ id }) => id === template.id)
    // Also of variables that the content does not use: subjects of batches may.
    return (
      newestVersion?.hash === content.hash &&
      newestVersion.emailType === template.emailType &&
      isDeepStrictEqual(newestVersion.variables, template.variables)
    )
  }
  const same = publications.filter(isSame).map(({ template }) => template.id)
  const changed = publications
    .filter((each) => !isSame(each))
    .map((each) => ({ ...each, contentId: uuidv7() }))
  if (same.length > 0) await versions.markSame(tx, organizationId, same)
  if (changed.length > 0) {
    await contents.createAll(
      tx,
      changed.map(({ contentId, content }) => ({ ...content, organizationId, id: contentId })),
    )
  }
  const published = await versions.publishAll(
    tx,
    organizationId,
    changed.map(({ template, contentId }) => ({ id: template.id, contentId })),
  )
  return publications.map(({ template }) => {
    const publication = published.find(({ id }) => id === template.id)
    const summary = { ...template, hasUnpublishedChanges: false }
    return publication ? { ...summary, ...publication, status: 'PUBLISHED' } : summary
  })
}

export async function publishTemplate(
  writing: Writing,
  template: TemplateRow,
): Promise<{ template: TemplateRow; content: Content }> {
  if (template.status === 'ARCHIVED') {
    throw conflict('The template is archived. Restore it first', { reason: 'template_archived' })
  }
  const content = await compileTemplate(writing.contents, template)
  const [published] = await publishAll(writing, [{ template, content }])
  return { template: published ?? template, content }
}

/** Changes or archives a template. Its published version stays until the next one. */
export async function changeTemplate(
  { tx, organizationId }: Pick<Writing, 'tx' | 'organizationId'>,
  idOrSlug: string,
  patch: TemplatePatch,
): Promise<{ template: TemplateRow; was: TemplateRow }> {
  const was = await lockTemplate(tx, organizationId, idOrSlug)
  requireUnmodified('template', was, patch.ifUnmodifiedSince)
  const next = await changeStatus(tx, organizationId, was, patch.status)
  const { slug = was.slug } = patch
  if (slug !== was.slug) await requireFreeSlug(tx, organizationId, slug)
  const values = patched(next, patch)
  // Source and HTML that came compiled are never both there.
  const isCompiled = next.isCompiled && patch.source === undefined
  const template = { ...values, slug, isCompiled }
  if (isDeepStrictEqual(next, template)) return { template: next, was }
  const [changed] = await templates.updateAll(tx, organizationId, [template])
  return { template: changed ?? next, was }
}

function patched(template: TemplateRow, patch: TemplatePatch): TemplateRow {
  const { name = template.name, subject = template.subject } = patch
  const { previewText = template.previewText, source = template.source } = patch
  const { textContent = template.textContent, sourceType = template.sourceType } = patch
  const { emailType = template.emailType, variables = template.variables } = patch
  const fields = {
    name,
    subject,
    previewText,
    source,
    textContent,
    sourceType,
    emailType,
    variables,
  }
  return { ...template, ...fields }
}

async function requireFreeSlug(tx: Transaction, organizationId: Uuid, slug: string): Promise<void> {
  const isTaken = isReserved(slug) || (await templates.findBySlug(tx, organizationId, slug))
  if (isTaken) throw slugTaken('template')
}

async function changeStatus(
  tx: Transaction,
  organizationId: Uuid,
  template: TemplateRow,
  status: TemplateRow['status'] = template.status,
): Promise<TemplateRow> {
  if (status === template.status) return template
  const former = template.version > 0 ? 'PUBLISHED' : 'DRAFT'
  const isArchiving = status === 'ARCHIVED'
  if (!isArchiving && (template.status !== 'ARCHIVED' || status !== former)) {
    const message =
      status === 'PUBLISHED'
        ? 'A draft is published by POST /v1/templates/{id}/publish'
        : 'What was published once is no draft any more: archive it'
    throw conflict(message, { reason: 'status_not_reachable' })
  }
  if (isArchiving) await requireUnused(tx, organizationId, used(template), ['workflow', 'topic'])
  const changed = await templates.setArchived(tx, organizationId, template.id, isArchiving)
  return changed ?? template
}

export async function duplicateTemplate(
  writing: Pick<Writing, 'tx' | 'organizationId'>,
  idOrSlug: string,
  { name, slug }: { name?: string; slug?: string },
): Promise<TemplateRow> {
  const template = await requireTemplate(writing.tx, writing.organizationId, idOrSlug)
  const copied = Array.from(`Copy of ${template.name}`).slice(0, LONGEST_NAME).join('')
  return createTemplate(writing, { ...template, ...NOT_PUSHED, name: name ?? copied, slug })
}

const used = ({ id }: TemplateRow) => ({ kind: 'template', id }) as const

/**
 * Deletes a template. Throws a 409 while a live batch, an enabled flow or a live execution uses it.
 */
export async function deleteTemplate(
  tx: Transaction,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<TemplateRow> {
  const template = await lockTemplate(tx, organizationId, idOrSlug)
  await requireUnused(tx, organizationId, used(template), ['batch', 'workflow'])
  await templates.remove(tx, organizationId, template.id)
  return template
}
