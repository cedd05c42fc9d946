import type { Mail } from '../mailer.ts'

type SlottedText = NonNullable<Mail['slotted']>['html']
type Layout = SlottedText['layout']

/** Returns the body of SendEmail: JSON, in UTF-8. */
export function bodyOf(mail: Mail, configurationSet?: string): Buffer {
  const { slotted } = mail
  if (!slotted) return Buffer.from(JSON.stringify(requestOf(mail, configurationSet)))
  const { from, replyTo, to, subject, headers, tags } = mail
  const outline = { from, replyTo, to, subject, headers, tags, html: '', text: '' }
  const json = JSON.stringify(requestOf(outline, configurationSet))
  const htmlAt = json.indexOf(HTML_KEY) + HTML_KEY.length
  const textAt = json.indexOf(TEXT_KEY, htmlAt) + TEXT_KEY.length
  return joined([
    json.slice(0, htmlAt),
    ...encoded(slotted.html),
    json.slice(htmlAt, textAt),
    ...encoded(slotted.text),
    json.slice(textAt),
  ])
}

/** Unescaped quotes are not in a text of JSON, so these are found nowhere else. */
const HTML_KEY = '"Html":{"Data":"'
const TEXT_KEY = '"Text":{"Data":"'

/** Texts of layouts as they stand in JSON. A layout serves many mails. */
const encodedLayouts = new WeakMap<Layout, readonly (Buffer | number)[]>()

function encoded({ layout, values }: SlottedText): (Buffer | string)[] {
  const pieces = encodedLayouts.get(layout) ?? encodedLayout(layout)
  return pieces.map((piece) => (typeof piece === 'number' ? escaped(values[piece] ?? '') : piece))
}

function encodedLayout(layout: Layout): readonly (Buffer | number)[] {
  const pieces = layout.map((piece) =>
    typeof piece === 'number' ? piece : Buffer.from(escaped(piece)),
  )
  encodedLayouts.set(layout, pieces)
  return pieces
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

function joined(chunks: readonly (Buffer | string)[]): Buffer {
  const bytes = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0)
  const body = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const chunk of chunks) {
    at += typeof chunk === 'string' ? body.write(chunk, at) : chunk.copy(body, at)
  }
  return body
}

const contentOf = (mail: Parts) =>
  mail.raw ? { Raw: { Data: Buffer.from(mail.raw).toString('base64') } } : simpleContent(mail)

const simpleContent = ({ subject, html, text, headers }: Parts) => ({
  Simple: {
    Subject: { Data: subject, Charset: 'UTF-8' },
    Body: {
      ...(html === null ? {} : { Html: { Data: html, Charset: 'UTF-8' } }),
      ...(text === null ? {} : { Text: { Data: text, Charset: 'UTF-8' } }),
    },
    Headers: headers.map(({ name, value }) => ({ Name: name, Value: value })),
  },
})

type Parts = Omit<Mail, 'slotted'>

const requestOf = (mail: Parts, configurationSet: string | undefined) => ({
  FromEmailAddress: mail.from,
  Destination: { ToAddresses: [mail.to] },
  ...(mail.replyTo === null ? {} : { ReplyToAddresses: [mail.replyTo] }),
  Content: contentOf(mail),
  EmailTags: mail.tags.map(({ name, value }) => ({ Name: name, Value: value })),
  ...(configurationSet === undefined ? {} : { ConfigurationSetName: configurationSet }),
})
