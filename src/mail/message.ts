import { createHash } from 'node:crypto'
import PostalMime, { addressParser, decodeWords } from 'postal-mime'
import type { Mailbox } from '../domain/mailbox.ts'
import type { Header } from './headers.ts'

/** Levels of nested parts. Mail programs produce three or four. */
const MOST_NESTING = 32
/** Bytes of the headers of all parts together. */
const MOST_HEADER_BYTES = 256 * 1024
/**
 * Lines of a message. Reading one takes 3 to 10 µs and a kilobyte of memory: gigabytes for a
 * message of line ends alone. The largest file has 200,000 lines in base64.
 */
const MOST_LINES = 250_000

export interface Message {
  from: Mailbox[]
  replyTo: Mailbox[]
  subject: string | undefined
  html: string | undefined
  text: string | undefined
  headers: Header[]
  attachments: MessageFile[]
}

interface MessageFile {
  filename: string
  contentType: string
  contentId?: string
  content: string
}

/** A text that cannot be read as a message. Its words are for the sender. */
export class UnreadableMessage extends Error {}

export async function readMessage(bytes: Uint8Array): Promise<Message> {
  if (countLines(bytes) > MOST_LINES) {
    throw new UnreadableMessage(`The message has more than ${MOST_LINES} lines`)
  }
  const parser = new PostalMime({
    maxNestingDepth: MOST_NESTING,
    maxHeadersSize: MOST_HEADER_BYTES,
    // A message that is attached stays a file.
    forceRfc822Attachments: true,
    attachmentEncoding: 'base64',
  })
  const message = await parser.parse(bytes).catch((error: unknown) => {
    throw new UnreadableMessage('The message is nested too deeply or its headers are too long', {
      cause: error,
    })
  })
  const { html, text } = message
  const headers = message.headers.map(({ originalKey: name, value }) => ({ name, value }))
  return {
    from: mailboxesOf(headers, 'from'),
    replyTo: mailboxesOf(headers, 'reply-to'),
    subject: message.subject,
    html,
    text,
    headers,
    attachments: message.attachments.map((part, index) => {
      const contentId = contentIdOf(part.contentId, html)
      return {
        filename: part.filename ?? nameOf(part.mimeType, index),
        contentType: typeOf(part.mimeType, part.method),
        ...(contentId === undefined ? {} : { contentId }),
        content: typeof part.content === 'string' ? part.content : '',
      }
    }),
  }
}

function countLines(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count++
  return count
}

const mailboxesOf = (headers: readonly Header[], headerName: string): Mailbox[] =>
  headers
    .filter(({ name }) => name.toLowerCase() === headerName)
    .flatMap(({ value }) => addressParser(value, { flatten: true }))
    .map(({ name, address }) => ({ address: address ?? '', name: decodeWords(name) || null }))

/**
 * Returns the id of a file only if the HTML shows it, since many programs give every file an id.
 */
function contentIdOf(contentId: string | undefined, html: string | undefined): string | undefined {
  const id = contentId?.trim().replace(/^<|>$/g, '')
  return id !== undefined && html?.includes(`cid:${id}`) ? id : undefined
}

const typeOf = (mimeType: string, method: string | undefined): string =>
  method === undefined ? mimeType : `${mimeType}; method=${method}`

const ENDINGS: Readonly<Record<string, string>> = {
  'message/rfc822': '.eml',
  'text/calendar': '.ics',
  'text/html': '.html',
  'text/plain': '.txt',
}

const nameOf = (mimeType: string, index: number): string =>
  `attachment-${index + 1}${ENDINGS[mimeType] ?? ''}`

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e
const BLANKS: readonly (number | undefined)[] = [0x20, 0x09]

/**
 * Returns whether a line is a single dot with adjacent line ends that are not both CR LF. Some
 * servers take that for the end of a message, and what follows for commands (SMTP smuggling). A dot
 * between proper line ends is a line of text: its sender has doubled it (RFC 5321, 4.5.2).
 */
export function hasFalseEnd(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(DOT); at >= 0; at = bytes.indexOf(DOT, at + 1)) {
    const before = bytes[at - 1]
    const after = bytes[at + 1]
    const isLine = (at === 0 || isLineEnd(before)) && (isLineEnd(after) || after === undefined)
    if (!isLine) continue
    const isBegun = at === 0 || (before === LF && bytes[at - 2] === CR)
    const isEnded = after === CR && bytes[at + 2] === LF
    if (!isBegun || !isEnded) return true
  }
  return false
}

const isLineEnd = (byte: number | undefined): boolean => byte === CR || byte === LF

/** Headers that servers add on the way. They may differ when a message is sent again. */
const TRACE =
  /^(?:received|return-path|delivered-to|x-received|received-spf|arc-[a-z-]+|authentication-results):/i

/** Returns a digest of a message as its sender wrote it, without what servers added on the way. */
export function digestOf(bytes: Uint8Array): Buffer {
  const hash = createHash('sha256')
  const end = endOfHeaders(bytes)
  for (let at = 0; at < end; ) {
    const next = endOfHeader(bytes, at, end)
    const field = bytes.subarray(at, next)
    const name = Buffer.from(field.subarray(0, 64)).toString('latin1')
    if (!TRACE.test(name)) hash.update(field)
    at = next
  }
  return hash.update(bytes.subarray(end)).digest()
}

function endOfHeaders(bytes: Uint8Array): number {
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf(LF, at)
    if (end < 0) return bytes.length
    const isEmpty = end === at || (end === at + 1 && bytes[at] === CR)
    if (isEmpty) return at
    at = end + 1
  }
  return bytes.length
}

/** Returns the end of the header that begins at `from`, including its continuation lines. */
function endOfHeader(bytes: Uint8Array, from: number, most: number): number {
  let at = from
  do {
    const end = bytes.indexOf(LF, at)
    at = end < 0 ? most : Math.min(end + 1, most)
  } while (at < most && BLANKS.includes(bytes[at]))
  return at
}
