import type { Pair } from './ledger.ts'

export interface Message {
  headers: Pair[]
  /** The addresses of a header field, as written. */
  list: (name: string) => string[]
  html: string | null
  text: string | null
}

const MAX_DEPTH = 8

/** Reads as much of a MIME message (RFC 5322, 2045, 2047) as looking at it needs. */
export function readMessage(bytes: Buffer): Message {
  const { headers, body } = split(bytes.toString('latin1'))
  const found: { html: string | null; text: string | null } = { html: null, text: null }
  collect(headers, body, found, 0)
  return {
    headers: headers.map(([name, value]) => [name, decodeWords(value)]),
    list: (wanted) =>
      headers
        .filter(([name]) => name.toLowerCase() === wanted)
        .flatMap(([, value]) => addresses(decodeWords(value))),
    ...found,
  }
}

function split(message: string): { headers: Pair[]; body: string } {
  const end = /\r?\n\r?\n/.exec(message)
  const head = end ? message.slice(0, end.index) : message
  const headers = head
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .flatMap((line): Pair[] => {
      const colon = line.indexOf(':')
      return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]] : []
    })
  return { headers, body: end ? message.slice(end.index + end[0].length) : '' }
}

const headerOf = (headers: Pair[], wanted: string): string =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ''

function collect(
  headers: Pair[],
  body: string,
  found: { html: string | null; text: string | null },
  depth: number,
): void {
  const type = headerOf(headers, 'content-type') || 'text/plain'
  if (/^multipart\//i.test(type)) {
    const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1]
    if (boundary === undefined || depth >= MAX_DEPTH) return
    for (const part of body.split(`--${boundary}`).slice(1)) {
      if (part.startsWith('--')) break
      const inner = split(part.replace(/^\r?\n/, ''))
      collect(inner.headers, inner.body, found, depth + 1)
    }
    return
  }
  if (/^attachment/i.test(headerOf(headers, 'content-disposition'))) return
  const charset = /charset="?([^";\s]+)"?/i.exec(type)?.[1] ?? 'utf-8'
  const decoded = (): string =>
    decodeText(transferDecoded(body, headerOf(headers, 'content-transfer-encoding')), charset)
  if (/^text\/html/i.test(type)) found.html ??= decoded()
  else if (/^text\/plain/i.test(type)) found.text ??= decoded()
}

function transferDecoded(body: string, encoding: string): Buffer {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64')
  if (/quoted-printable/i.test(encoding)) return quotedPrintable(body.replaceAll(/=\r?\n/g, ''))
  return Buffer.from(body, 'latin1')
}

const quotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  )

function decodeText(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

/** `=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=` → `Grüße` (RFC 2047). */
const decodeWords = (value: string): string =>
  Buffer.from(value, 'latin1')
    .toString('utf8')
    .replaceAll(/(=\?[^?]+\?[BQ]\?[^?]*\?=)\s+(?==\?)/gi, '$1')
    .replaceAll(
      /=\?([^?]+)\?([BQ])\?([^?]*)\?=/gi,
      (_, charset: string, kind: string, text: string) =>
        decodeText(
          kind.toUpperCase() === 'B'
            ? Buffer.from(text, 'base64')
            : quotedPrintable(text.replaceAll('_', ' ')),
          charset,
        ),
    )

/** Splits at commas outside quotes and angle brackets. */
const addresses = (value: string): string[] =>
  (value.match(/(?:"[^"]*"|<[^>]*>|[^,"<])+/g) ?? [])
    .map((each) => each.trim())
    .filter((each) => each !== '')
