import type { MailView } from './mails.ts'

const ENCODED_BYTES = 45
const LINE = 76

/** The message as SES would put it on the wire (RFC 5322, 2045, 2047), made when somebody looks. */
export function sourceOf(mail: MailView): string {
  if (mail.raw) return mail.raw.toString('utf8')
  const boundary = `----=_Part_${mail.id.replaceAll('-', '')}`
  const parts = [
    ...(mail.text === null ? [] : [partOf('text/plain', mail.text)]),
    ...(mail.html === null ? [] : [partOf('text/html', mail.html)]),
  ]
  const [only = ''] = parts
  const isAlternative = parts.length > 1
  const headers: [string, string][] = [
    ['Date', new Date(mail.acceptedAt).toUTCString().replace('GMT', '+0000')],
    ['From', encodeAddress(mail.from)],
    ...list('Reply-To', mail.replyTo),
    ...list('To', mail.to),
    ...list('Cc', mail.cc),
    ['Message-ID', `<${mail.messageId}@${mail.region}.amazonses.com>`],
    ['Subject', encodeWords(mail.subject)],
    ['MIME-Version', '1.0'],
    ...mail.headers.map(({ name, value }): [string, string] => [name, value]),
    ...(isAlternative
      ? [
          ['Content-Type', `multipart/alternative; boundary="${boundary}"`] satisfies [
            string,
            string,
          ],
        ]
      : []),
  ]
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  if (!isAlternative) return `${head}${only}`
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')
  return `${head}\r\n${body}--${boundary}--\r\n`
}

const list = (name: string, addresses: string[]): [string, string][] =>
  addresses.length === 0 ? [] : [[name, addresses.map(encodeAddress).join(',\r\n ')]]

const partOf = (type: string, text: string): string =>
  `Content-Type: ${type}; charset=UTF-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${quotedPrintable(text)}`

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text)

/** A display name in letters beyond ASCII becomes encoded words; the address stays. */
function encodeAddress(address: string): string {
  if (isAscii(address)) return address
  const at = address.lastIndexOf('<')
  if (at < 0) return encodeWords(address)
  const name = address.slice(0, at).trim().replaceAll(/^"|"$/g, '')
  return `${encodeWords(name)} ${address.slice(at)}`
}

function encodeWords(text: string): string {
  if (isAscii(text)) return text
  const words: string[] = []
  let word = ''
  for (const letter of text) {
    if (Buffer.byteLength(word + letter) > ENCODED_BYTES) {
      words.push(word)
      word = ''
    }
    word += letter
  }
  words.push(word)
  return words.map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`).join('\r\n ')
}

/** RFC 2045, 6.7. */
function quotedPrintable(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map(quotedLine)
    .join('\r\n')
}

function quotedLine(line: string): string {
  const lines: string[] = []
  let current = ''
  const bytes = Buffer.from(line)
  for (const [index, byte] of bytes.entries()) {
    const isLast = index === bytes.length - 1
    const isBlank = byte === 0x20 || byte === 0x09
    const isPlain = (byte >= 0x21 && byte <= 0x7e && byte !== 0x3d) || (isBlank && !isLast)
    const piece = isPlain
      ? String.fromCharCode(byte)
      : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
    if (current.length + piece.length > LINE - 1) {
      lines.push(`${current}=`)
      current = ''
    }
    current += piece
  }
  lines.push(current)
  return lines.join('\r\n')
}
