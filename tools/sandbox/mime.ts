import MailComposer from 'nodemailer/lib/mail-composer'
import PostalMime, { addressParser, decodeWords } from 'postal-mime'
import type { Pair } from './ledger.ts'
import type { MailView } from './mails.ts'
import { FEEDBACK_TAGS } from './ses/checks.ts'

/** The message as SES would send it, made on demand. */
export async function sourceOf(mail: MailView): Promise<string> {
  if (mail.raw) return mail.raw.toString('utf8')
  // Two values are the sender's, SES fills in the others.
  const [a = '', b = ''] = FEEDBACK_TAGS.map(
    (wantedName) => mail.tags.find(({ name }) => name === wantedName)?.value,
  )
  const composer = new MailComposer({
    from: mailboxes([mail.from]),
    replyTo: mailboxes(mail.replyTo),
    to: mailboxes(mail.to),
    cc: mailboxes(mail.cc),
    subject: mail.subject,
    date: new Date(mail.acceptedAt),
    messageId: `<${mail.messageId}@${mail.region}.amazonses.com>`,
    headers: [
      ...mail.headers.map(({ name, value }) => ({ key: name, value })),
      { key: 'Feedback-ID', value: `${a}:${b}:${mail.region}:AmazonSES` },
    ],
    ...(mail.text === null ? {} : { text: mail.text }),
    ...(mail.html === null ? {} : { html: mail.html }),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return (await composer.compile().build()).toString('utf8')
}

/** Decodes names, since the composer encodes them. */
const mailboxes = (texts: readonly string[]) =>
  texts.flatMap((text) =>
    addressParser(text, { flatten: true }).flatMap(({ name, address }) =>
      address === undefined ? [] : [{ name, address }],
    ),
  )

export interface Message {
  headers: Pair[]
  /** Addresses of a header field, as written. */
  list: (name: string) => string[]
  subject: string
  html: string | null
  text: string | null
}

/** Reads a MIME message. Throws if it is nested too deep. */
export async function readMessage(bytes: Buffer): Promise<Message> {
  const { headers, subject = '', html, text } = await PostalMime.parse(bytes)
  return {
    headers: headers.map(({ originalKey, value }): Pair => [originalKey, decodeWords(value)]),
    list: (wantedName) =>
      headers
        .filter(({ key }) => key === wantedName)
        .flatMap(({ value }) => mailboxes([value]))
        .map(({ name, address }) => (name === '' ? address : `${name} <${address}>`)),
    subject,
    html: html ?? null,
    text: text ?? null,
  }
}
