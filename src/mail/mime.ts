import MailComposer from 'nodemailer/lib/mail-composer'
import { type Attachment, calendarMethod } from '../domain/mails/attachments.ts'
import type { Header } from './headers.ts'

export interface MimeMail {
  from: string
  replyTo: string | null
  to: string
  subject: string
  html: string | null
  text: string | null
  headers: readonly Header[]
  attachments: readonly Attachment[]
}

/**
 * Returns the message of a mail with attachments (RFC 5322, 2045, 2183, 2231): parts in
 * alternative, images that the HTML shows in related, files in mixed. SES takes it as Content.Raw.
 * It reads no file and no address that the mail names.
 *
 * An invitation is one of the alternatives, where calendars look (RFC 6047), and a file as well.
 */
export async function rawMessage(mail: MimeMail): Promise<Buffer> {
  const invitation = mail.attachments.find((each) => calendarMethod(each) !== undefined)
  const files = mail.attachments.filter((each) => each !== invitation)
  const message = await new MailComposer({
    // Its domain is that of the message id. The header is ours, see `mailboxHeaders`.
    envelope: { from: addressOf(mail.from), to: mail.to },
    to: mail.to,
    subject: mail.subject,
    ...(mail.html === null ? {} : { html: mail.html }),
    ...(mail.text === null ? {} : { text: mail.text }),
    headers: mail.headers.map(({ name, value }) => ({ key: name, value })),
    ...(invitation === undefined ? {} : { icalEvent: icalEventOf(invitation) }),
    attachments: files.map(({ filename, contentType, contentId, content }) => ({
      filename,
      content,
      encoding: 'base64',
      ...(contentType === undefined ? {} : { contentType }),
      ...(contentId === undefined ? {} : { cid: contentId, contentDisposition: 'inline' as const }),
    })),
    // Lines end in CRLF (RFC 5322, 2.3), whatever the texts use.
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
  return Buffer.concat([Buffer.from(mailboxHeaders(mail)), message])
}

/**
 * Returns the sender headers as `formatAddress` wrote them. Nodemailer would parse them and put
 * encoded words into quotes, where they are not decoded (RFC 2047, 5).
 */
function mailboxHeaders({ from, replyTo }: MimeMail): string {
  const lines = [`From: ${from}`, ...(replyTo === null ? [] : [`Reply-To: ${replyTo}`])]
  return lines.map((line) => `${line.replace(BETWEEN_WORDS, '$1\r\n ')}\r\n`).join('')
}

/** Matches the end of an encoded word, where a long line is folded (RFC 2047, 2). */
const BETWEEN_WORDS = /(=\?[!-~]+\?=) /g

const addressOf = (mailbox: string): string => /<([^<>]+)>$/.exec(mailbox)?.[1] ?? mailbox

const icalEventOf = (invitation: Attachment) => ({
  method: calendarMethod(invitation) ?? '',
  filename: invitation.filename,
  content: Buffer.from(invitation.content, 'base64'),
})
