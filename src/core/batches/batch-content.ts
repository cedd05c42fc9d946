import { refuse } from '../../domain/errors.ts'
import { isUuid, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { Content, ContentPaths, ContentSource } from '../../mail/content.ts'
import type { BatchInput } from '../../schemas/batches/batch.ts'
import * as templates from '../../store/content/templates.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import { templateSource } from '../content/templates.ts'

/** Paths in errors. */
export const CONTENT_PATHS: ContentPaths = {
  subject: 'subject',
  previewText: 'previewText',
  html: 'htmlContent',
  text: 'textContent',
  variables: 'variableMappings',
}

/** Checks and compiles content. Throws a 400 with what is wrong. */
export type Compile = (source: ContentSource, paths: ContentPaths) => Promise<Content>

/** Returns the contents that must be compiled for a batch. Empty: its template has all of it. */
export async function sourcesOf(
  sql: Executor,
  organizationId: Uuid,
  input: BatchInput,
): Promise<ContentSource[]> {
  const sources: ContentSource[] = []
  for (const version of versionsOf(input)) {
    const template = await findTemplate(sql, organizationId, version.templateId)
    const source = ownSource(version, template)
    if (source) sources.push(source)
  }
  return sources
}

/** Returns the input of each variant of a test, or of the batch. */
export const versionsOf = (input: BatchInput): BatchInput[] =>
  input.abTest?.variants.map(({ subject, fromName, previewText, templateId }) => {
    const variantFields = Object.entries({ subject, fromName, previewText, templateId })
    return {
      ...input,
      ...Object.fromEntries(variantFields.filter(([, text]) => text !== undefined)),
    }
  }) ?? [input]

export interface BatchContent {
  id: Uuid
  templateId: Uuid | null
  subject: string
  previewText: string | null
  /** Content that came with the batch and is stored with it. */
  inline?: Content
}

/** Returns the content that a batch will have: a template's newest version, or its own. */
export async function findContent(
  tx: Transaction,
  organizationId: Uuid,
  input: BatchInput,
  compile: Compile,
): Promise<BatchContent> {
  const { templateId, subject = null, previewText = null } = input
  // Whoever deletes it waits, and then sees the batch.
  if (templateId !== undefined && isUuid(templateId)) {
    await templates.keep(tx, organizationId, [templateId])
  }
  const template = await findTemplate(tx, organizationId, templateId)
  const source = ownSource(input, template)
  const inline = source && (await compile(source, CONTENT_PATHS))
  if (templateId === undefined) {
    if (!inline) throw new Error('a batch without a template brings its content')
    if (inline.subject === null) return refuse('subject', 'is needed')
    return { ...inline, subject: inline.subject, id: uuidv7(), templateId: null, inline }
  }
  if (!template) {
    await refuseForeign(tx, 'template', organizationId, templateId)
    return refuse('templateId', 'must be the id of a published template')
  }
  if (subject === null && template.subject === null) {
    return refuse('subject', 'is needed: the template has none')
  }
  const { id, contentId } = template
  const own = { subject: template.subject ?? '', previewText: template.previewText }
  if (!inline) return { ...own, id: contentId, templateId: id }
  const content = { ...own, ...inline, subject: inline.subject ?? own.subject, templateId: id }
  return previewText === null ? { ...content, id: contentId } : { ...content, id: uuidv7(), inline }
}

const findTemplate = async (sql: Executor, organizationId: Uuid, id: string | undefined) =>
  id !== undefined && isUuid(id) ? templates.findPublished(sql, organizationId, id) : undefined

function ownSource(
  input: BatchInput,
  template: templates.Published | undefined,
): ContentSource | undefined {
  const { templateId, subject = null, previewText = null } = input
  const variableNames = (input.variableMappings ?? []).map(({ variableName }) => variableName)
  if (templateId === undefined) {
    const { htmlContent: html = '', textContent: text = null } = input
    return { subject, previewText, html, text, variableNames }
  }
  if (!template || (subject === null && previewText === null)) return undefined
  // A subject or preview text of the batch's own uses the template's variables and their fallbacks.
  const parts = { subject, previewText: previewText ?? template.previewText }
  return { ...templateSource(template), ...parts, variableNames }
}
