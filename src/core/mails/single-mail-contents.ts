import { type MailBrand, mailBrand } from '../../domain/content/brand.ts'
import { AppError, badRequest } from '../../domain/errors.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import { overloaded } from '../../mail/content-checks.ts'
import { RenderError, type RenderedMail } from '../../mail/render.ts'
import { type Renderer, RendererBusy } from '../../mail/renderer.ts'
import type { EmailInput } from '../../schemas/mails/email.ts'
import * as organizations from '../../store/access/organizations.ts'
import type { MailedContact } from '../../store/contacts/named-contacts.ts'
import * as contents from '../../store/content/contents.ts'
import * as templates from '../../store/content/templates.ts'
import type { Executor } from '../../store/db/sql.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import type { ResolvedSender } from '../accounts/resolve-sender.ts'
import { type LinkDeps, linksOf } from '../content/compose.ts'

/** Time for which a request waits for its mails to be rendered. */
const RENDER_TIMEOUT_MS = 10_000

export interface MailDeps extends LinkDeps {
  renderer: Renderer
  now: number
}

/** A valid row with its sender and its recipient. */
export interface AddressedMail {
  input: EmailInput
  sender: ResolvedSender
  to: string
  contact: MailedContact | undefined
}

/** Content of one mail. A RenderError becomes a refusal. */
type Rendered =
  | Promise<RenderedMail>
  | { subject: string; html: string | null; text: string | null }

interface Template {
  key: string
  subject: string | null
  html: string
  text: string
}

/**
 * Returns the content of each mail: its own, or that of its template. Mails of one template are
 * rendered as a set. Refused rows stay as they are. Throws a 503 if there was no time.
 */
export async function renderedContents(
  sql: Executor,
  organizationId: Uuid,
  rows: readonly (AddressedMail | AppError)[],
  deps: MailDeps,
): Promise<(Rendered | AppError)[]> {
  const call = { organization: organizationId, by: performance.now() + RENDER_TIMEOUT_MS }
  const contentByRow: (Rendered | AppError | undefined)[] = rows.map((row) =>
    row instanceof AppError ? row : undefined,
  )
  const openRows = rows.flatMap((row, index) => (row instanceof AppError ? [] : [{ row, index }]))
  const plain = openRows.filter(({ row }) => row.input.templateId === undefined)
  await addPlain(plain, contentByRow, deps, call)

  const templated = new Map<string, OpenRow[]>()
  for (const each of openRows) {
    const { templateId } = each.row.input
    if (templateId === undefined) continue
    templated.set(templateId, [...(templated.get(templateId) ?? []), each])
  }
  if (templated.size > 0) {
    const brand = await organizations.findBrand(sql, organizationId)
    if (!brand) throw new Error('a caller has an organization')
    const organization = mailBrand(brand)
    for (const [templateId, group] of templated) {
      const template = await findTemplate(sql, organizationId, templateId)
      if (template instanceof AppError) {
        for (const { index } of group) contentByRow[index] = template
        continue
      }
      const { key, ...content } = template
      const data = group.map(({ row }) => dataOf(row, organizationId, organization, deps))
      const mails = deps.renderer.mails({ key, content, marketing: false }, data, {
        ...call,
        content: key,
      })
      for (const [position, { index }] of group.entries()) contentByRow[index] = mails[position]
    }
  }
  return Promise.all(contentByRow.map(settled))
}

interface OpenRow {
  row: AddressedMail
  index: number
}

/** Adds mails with contents of their own. A missing text part is made of the HTML. */
async function addPlain(
  rows: readonly OpenRow[],
  found: (Rendered | AppError | undefined)[],
  { renderer }: MailDeps,
  call: { organization: string; by: number },
): Promise<void> {
  const textless = rows.flatMap(({ row: { input }, index }) =>
    input.text === undefined && input.html !== undefined ? [{ html: input.html, index }] : [],
  )
  const making = renderer.textParts(
    textless.map(({ html }) => html),
    { ...call, content: 'text parts' },
  )
  const textPartByIndex = new Map(textless.map(({ index }, position) => [index, making[position]]))
  for (const { row, index } of rows) {
    const { subject = '', html = null, text = null } = row.input
    const own = textPartByIndex.get(index)
    try {
      found[index] = { subject: subject.trim(), html, text: text ?? (await own) ?? null }
    } catch (error) {
      found[index] = refusedText(error)
    }
  }
}

function refusedText(error: unknown): AppError {
  if (error instanceof RendererBusy) throw overloaded()
  if (!(error instanceof RenderError)) throw error
  const message = 'is needed: no text part can be made of this HTML'
  return badRequest(`text ${message}`, [{ path: 'text', message }], error.reason)
}

/** Waits for a rendered mail. A failure becomes a refusal. */
async function settled(rendered: Rendered | AppError | undefined): Promise<Rendered | AppError> {
  if (rendered === undefined) throw new Error('a mail has a content')
  if (!(rendered instanceof Promise)) return rendered
  try {
    return await rendered
  } catch (error) {
    if (error instanceof RendererBusy) throw overloaded()
    if (!(error instanceof RenderError)) throw error
    const { reason, message } = error
    return badRequest(
      `The mail cannot be rendered: ${message}`,
      [{ path: reason === 'bad_subject' ? 'templateId' : 'variables', message }],
      reason,
    )
  }
}

/** Returns the newest version of a published transactional template, or the refusal. */
async function findTemplate(
  sql: Executor,
  organizationId: Uuid,
  templateId: string,
): Promise<Template | AppError> {
  const refused = (message: string) =>
    badRequest(`templateId ${message}`, [{ path: 'templateId', message }])
  const published = isUuid(templateId)
    ? await templates.findPublished(sql, organizationId, templateId)
    : undefined
  if (!published) {
    try {
      await refuseForeign(sql, 'template', organizationId, templateId)
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
    return refused('must be the id of a published template')
  }
  const { contentId, emailType, subject } = published
  if (emailType !== 'transactional') {
    return refused('names a marketing template, which is for batches and workflows')
  }
  if (subject === null) return refused('names a template without a subject')
  const content = await contents.find(sql, organizationId, contentId)
  if (!content) throw new Error('a published template has a content')
  return { key: `${organizationId} ${contentId}`, subject, ...content }
}

function dataOf(
  { input: { variables }, to, contact }: AddressedMail,
  organizationId: Uuid,
  organization: MailBrand,
  { keyring, publicUrl, now }: MailDeps,
) {
  const mailed = contact && {
    organizationId,
    contactId: contact.id,
    email: to,
    topicId: undefined,
  }
  return {
    organization,
    ...(contact === undefined ? {} : { contact }),
    ...(mailed === undefined ? {} : linksOf({ keyring, publicUrl }, mailed, now)),
    ...(variables === undefined ? {} : { variables }),
  }
}
