import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, extname } from 'node:path'
import { previewPage } from '../../../api/content/preview-page.ts'
import type { Schemas } from '../../client/index.ts'
import { publishWarnings } from '../../core/content/publish-warnings.ts'
import { dataOf, sampleOf, showTemplate } from '../../core/content/preview-template.ts'
import { pushedValues } from '../../core/content/push-templates.ts'
import { TEMPLATE_PATHS, templateSource } from '../../core/content/templates.ts'
import { AppError } from '../../domain/errors.ts'
import { createRenderer } from '../../mail/renderer.ts'
import type { ApiAccess } from './api-access.ts'
import { asking, textOf, wordsOf } from './api-client.ts'
import { plain } from './plain.ts'
import { readTemplate } from './template-files.ts'

type PreviewFields = Omit<Schemas['TemplatePreview'], 'templateId' | 'contactId'>
type Values = Schemas['TemplatePreviewInput'] & object

interface Wish {
  /** Contact of the account, for a template of the account. */
  contact?: string
  /** Path of a JSON file with the body of the API's preview. */
  values?: string
}

/** Base URL in a file's preview, whose links lead nowhere. */
const NOWHERE = 'https://letterloom.invalid'
const OWNER = 'file'

/**
 * Renders a template's mail: from a file `<slug>.html` or `<slug>.mjml` with the files that `pull`
 * writes beside it, on this machine, or from a template of the account, by slug or id.
 */
export async function previewOf(
  access: ApiAccess,
  template: string,
  wish: Wish,
): Promise<PreviewFields> {
  const values = wish.values === undefined ? {} : await readValues(wish.values)
  if (/\.(?:html|mjml)$/.test(template) && existsSync(template)) {
    if (wish.contact !== undefined) {
      throw new Error('--contact requires a template of the account. Use --values with a file')
    }
    return previewFile(template, values)
  }
  const body = wish.contact === undefined ? values : { ...values, contactId: wish.contact }
  const params = { path: { id: template } }
  return asking(access, (client) => client.post('/v1/templates/{id}/preview', { params, body }))
}

export type Format = 'html' | 'text' | 'page' | 'json'

/**
 * Writes a preview to a file or standard output, and its checks to standard error. Programs and
 * files get the mail unchanged; for a terminal, control characters are escaped.
 */
export async function writePreview(
  preview: PreviewFields,
  { format, out }: { format: Format; out?: string },
): Promise<void> {
  const text = `${textIn(preview, format).trimEnd()}\n`
  if (out === undefined) process.stdout.write(process.stdout.isTTY ? plain(text) : text)
  else await writeFile(out, text)
  for (const line of findingsOf(preview)) process.stderr.write(`${plain(line)}\n`)
}

function textIn(preview: PreviewFields, format: Format): string {
  switch (format) {
    case 'html':
      return preview.html ?? ''
    case 'text':
      return preview.text ?? ''
    case 'page':
      return previewPage(preview)
    case 'json':
      return JSON.stringify(preview, null, 2)
  }
}

function findingsOf({
  subject,
  sizeBytes,
  problem,
  checks,
  warnings = [],
}: PreviewFields): string[] {
  if (problem) return [`There is no mail: ${problem.message}`]
  return [
    ...(subject === null ? [] : [`Subject: ${subject}`]),
    `HTML: ${Math.ceil(sizeBytes / 1_024)} KB`,
    ...checks.map(({ severity, code, message }) => `${severity} ${code}: ${message}`),
    ...warnings.map(({ reason, message }) => `warning ${reason}: ${message}`),
  ]
}

async function previewFile(path: string, values: Values): Promise<PreviewFields> {
  const folder = dirname(path)
  const slug = basename(path, extname(path))
  const names = await readdir(folder)
  const pushed: Schemas['TemplatePush'] = names.includes(`${slug}.json`)
    ? await readTemplate(folder, slug, names)
    : { slug, name: slug, source: await textOf(path), sourceType: typeOf(path) }
  const template = pushedValues(pushed)
  const { name, previewText, emailType } = template
  const renderer = createRenderer()
  try {
    const content = await renderer.compile(templateSource(template), TEMPLATE_PATHS, {
      organization: OWNER,
      content: OWNER,
    })
    const contact = sampleOf(values)
    const data = dataOf(contact, { name: 'Your organization' }, NOWHERE, values)
    const shownMail = await showTemplate(renderer, { content, emailType }, data, OWNER)
    const all = publishWarnings(content).filter(({ reason }) => reason === 'styles_not_inlined')
    const warnings = all.length === 0 ? {} : { warnings: all }
    return { name, email: contact.email ?? null, previewText, ...shownMail, ...warnings }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const lines = (error.details ?? []).map((detail) => `  ${detail.path}: ${detail.message}`)
    throw new Error([error.message, ...lines].join('\n'), { cause: error })
  } finally {
    await renderer.close()
  }
}

const typeOf = (path: string): 'html' | 'mjml' => (path.endsWith('.mjml') ? 'mjml' : 'html')

async function readValues(path: string): Promise<Values> {
  const text = await textOf(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${path} is not JSON: ${wordsOf(error)}`, { cause: error })
  }
}
