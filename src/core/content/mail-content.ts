import type { Uuid } from '../../runtime/ids.ts'
import { type Attachment, decodedBytes } from '../../domain/mails/attachments.ts'
import { withDeadLinks } from '../../domain/mails/dead-links.ts'
import { rawMessage } from '../../mail/mime.ts'
import type { EmailBody } from '../../schemas/mails/email.ts'
import { mailContentPlace, open, sealInParts } from '../../keys/sealing.ts'
import type { Keyring } from '../../keys/tokens.ts'
import type { OutgoingMail } from './compose.ts'

export interface MailContent extends OutgoingMail {
  attachments: readonly Attachment[]
}

/**
 * Returns whether a text is base64 (RFC 4648, 4) with padding. Node's decoder ignores other
 * characters, takes letters beyond ASCII for others, and accepts the alphabet of URLs. Regular
 * expressions take many times as long, and the text may have megabytes.
 */
export const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 &&
  Buffer.byteLength(text) === text.length &&
  Buffer.from(text, 'base64').length === decodedBytes(text) &&
  !text.includes('-') &&
  !text.includes('_')

export const sealContent = (
  keyring: Keyring,
  organizationId: Uuid,
  id: Uuid,
  content: MailContent,
): Promise<Buffer> =>
  sealInParts(
    keyring,
    'mail-content',
    mailContentPlace(organizationId, id),
    JSON.stringify(content),
  )

/** Undefined: its key is no longer in the keyring. */
export function openContent(
  keyring: Keyring,
  organizationId: Uuid,
  id: Uuid,
  sealed: Uint8Array,
): MailContent | undefined {
  const text = open(keyring, 'mail-content', mailContentPlace(organizationId, id), sealed)
  if (text === undefined) return undefined
  const content: MailContent = JSON.parse(text)
  return content
}

/** Returns the content for the provider. With attachments it is a message that we assemble. */
export async function outgoing(content: MailContent): Promise<OutgoingMail> {
  const { attachments, ...mail } = content
  return attachments.length === 0 ? mail : { ...mail, raw: await rawMessage(content) }
}

/** Returns the body for its sender, with links that act for the recipient disabled. */
export const bodyView = ({ html, text, headers, attachments }: MailContent): EmailBody => ({
  html: html && withDeadLinks(html),
  text: text && withDeadLinks(text),
  headers: Object.fromEntries(headers.map(({ name, value }) => [name, withDeadLinks(value)])),
  attachments: attachments.map(({ filename, contentType, contentId, content }) => ({
    filename,
    contentType: contentType ?? null,
    contentId: contentId ?? null,
    bytes: decodedBytes(content),
  })),
})
