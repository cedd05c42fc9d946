import MailComposer from 'nodemailer/lib/mail-composer'
import type { Attachment } from '../domain/sending/attachments.ts'
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
 * The message of a mail with attachments (RFC 5322, 2045, 2183, 2231): parts in alternative, images
 * that the HTML shows in related, files in mixed. SES takes it as it is (Content.Raw). Reads no
 * file and no address, whatever the mail says.
 */
export const rawMessage = (mail: MimeMail): Promise<Buffer> =>
  new MailComposer({
    from: mail.from,
    to: mail.to,
    subject: mail.subject,
    ...(mail.replyTo === null ? {} : { replyTo: mail.replyTo }),
    ...(mail.html === null ? {} : { html: mail.html }),
    ...(mail.text === null ? {} : { text: mail.text }),
    headers: mail.headers.map(({ name, value }) => ({ key: name, value })),
    attachments: mail.attachments.map(({ filename, contentType, contentId, content }) => ({
      filename,
      content,
      encoding: 'base64',
      ...(contentType === undefined ? {} : { contentType }),
      ...(contentId === undefined ? {} : { cid: contentId, contentDisposition: 'inline' as const }),
    })),
    // RFC 5322, 2.3: lines end in CRLF, whatever those of a text end in.
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
