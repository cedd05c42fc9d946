import { mailBrand } from '../../domain/content/brand.ts'
import { withDeadLinks } from '../../domain/mails/dead-links.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { RenderError } from '../../mail/render.ts'
import { type Renderer, RendererBusy } from '../../mail/renderer.ts'
import type { ContentMissing, EmailLog, EmailLogContent } from '../../schemas/delivery/email-log.ts'
import { findBrand } from '../../store/access/organizations.ts'
import * as contacts from '../../store/contacts/contacts.ts'
import type { Executor } from '../../store/db/sql.ts'
import * as logContents from '../../store/delivery/log-contents.ts'
import { findSealed } from '../../store/mails/transactional-mails.ts'
import type { Keyring } from '../../keys/tokens.ts'
import { deadLinks } from '../content/show-mail.ts'
import { variablesOf } from '../content/batch-variables.ts'
import { openContent } from '../content/mail-content.ts'

/** Content of a mail, or the reason why it is unavailable. */
export type LogContent =
  | { content: EmailLogContent; contentMissing: null }
  | { content: null; contentMissing: ContentMissing }

interface Deps {
  renderer: Renderer
  keyring: Keyring
  publicUrl: string
}

/** Time for which a request waits for the mail to be rendered. */
const RENDER_TIMEOUT_MS = 5_000

/**
 * Returns the content of a mail in the log. Single mail is stored for a while. Mail of batches is
 * rendered again from the batch's version, with the contact's present data. Links that act for the
 * recipient are disabled.
 */
export async function logContent(
  deps: Deps,
  sql: Executor,
  organizationId: Uuid,
  { id, sourceType, sentAt }: Pick<EmailLog, 'id' | 'sourceType' | 'sentAt'>,
): Promise<LogContent> {
  if (sourceType === 'external') return missing('not_ours')
  if (sentAt === null) return missing('not_sent')
  if (sourceType === 'transactional') {
    const sealed = await findSealed(sql, organizationId, id)
    const storedContent = sealed && openContent(deps.keyring, organizationId, id, sealed)
    return storedContent ? contentOf(storedContent, 'kept') : missing('not_kept')
  }
  const mail = await logContents.findMail(sql, organizationId, id)
  if (!mail) return missing('not_kept')
  if (sourceType === 'batch') return renderAgain(deps, sql, organizationId, mail)
  return mail.body ? contentOf(mail.body, 'kept') : missing('not_kept')
}

async function renderAgain(
  { renderer, publicUrl }: Deps,
  sql: Executor,
  organizationId: Uuid,
  { batchId, variant, contactId, recipient }: logContents.LoggedMail,
): Promise<LogContent> {
  if (contactId === null || recipient === null) return missing('contact_gone')
  const contact = await contacts.find(sql, organizationId, { id: contactId })
  if (!contact) return missing('contact_gone')
  const content =
    batchId === null
      ? undefined
      : await logContents.findBatchContent(sql, organizationId, { batchId, variant })
  const brand = await findBrand(sql, organizationId)
  if (!content || !brand) return missing('not_kept')
  const { contentId, subject, html, text } = content
  // As the batch's preview and its sending call it: what one of them has parsed serves the others.
  const key = `${organizationId} ${contentId} ${subject}`
  const template = { key, content: { subject, html, text }, marketing: true }
  const data = {
    contact: { ...contact, email: recipient },
    organization: mailBrand(brand),
    ...deadLinks(publicUrl),
    variables: variablesOf(content.variableMappings, contact),
  }
  const call = {
    organization: organizationId,
    content: `log ${key}`,
    by: performance.now() + RENDER_TIMEOUT_MS,
  }
  try {
    const [mail] = await Promise.all(renderer.mails(template, [data], call))
    return mail ? contentOf(mail, 'rendered_again') : missing('render_failed')
  } catch (error) {
    if (error instanceof RendererBusy) return missing('busy')
    if (error instanceof RenderError) return missing('render_failed')
    throw error
  }
}

const missing = (contentMissing: ContentMissing): LogContent => ({ content: null, contentMissing })

const contentOf = (
  { subject, html, text }: { subject: string; html: string | null; text: string | null },
  origin: EmailLogContent['origin'],
): LogContent => ({
  content: {
    subject,
    html: html && withDeadLinks(html),
    text: text && withDeadLinks(text),
    origin,
  },
  contentMissing: null,
})
