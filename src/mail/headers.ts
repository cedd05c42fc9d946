export interface Header {
  name: string
  value: string
}

/** Limits of the provider (SES v2, MessageHeader): name, value, both together. */
const MAX_NAME_LENGTH = 126
const MAX_VALUE_LENGTH = 995
const MAX_LENGTH = 996

const NAME = /^[!-9;-~]+$/
const PRINTABLE = /^[ -~]*$/
const CONTROL = /\p{Cc}/u

/** Returns why a header cannot be sent, or undefined. A line break would start another header. */
export function headerProblem({ name, value }: Header): string | undefined {
  if (!NAME.test(name)) return 'A header name has printable characters without blanks and colons'
  if (name.length > MAX_NAME_LENGTH)
    return `A header name has ${MAX_NAME_LENGTH} characters at most`
  if (CONTROL.test(value)) return 'A header value has no line breaks or control characters'
  if (!PRINTABLE.test(value)) return 'A header value has US-ASCII characters only'
  if (value.length > MAX_VALUE_LENGTH || name.length + value.length > MAX_LENGTH) {
    return `A header value has ${MAX_VALUE_LENGTH} characters at most`
  }
  return undefined
}

export interface Unsubscribe {
  unsubscribeUrl: string
  listId?: string | undefined
}

/**
 * The headers of every marketing mail for one-click unsubscribe: List-Unsubscribe (RFC 2369),
 * List-Unsubscribe-Post (RFC 8058) and List-ID (RFC 2919). Throws if a value cannot be sent.
 */
export function marketingHeaders({ unsubscribeUrl, listId }: Unsubscribe): Header[] {
  if (!/^https?:\/\/[^\s<>]+$/.test(unsubscribeUrl)) {
    throw new RangeError('An unsubscribe link is an http(s) address')
  }
  if (listId !== undefined && !/^[A-Za-z0-9.-]+$/.test(listId)) {
    throw new RangeError('A list id has letters, digits, dots and hyphens')
  }
  const headers = [
    { name: 'List-Unsubscribe', value: `<${unsubscribeUrl}>` },
    { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
    ...(listId === undefined ? [] : [{ name: 'List-ID', value: `<${listId}>` }]),
  ]
  for (const header of headers) {
    const problem = headerProblem(header)
    if (problem !== undefined) throw new RangeError(`${header.name}: ${problem}`)
  }
  return headers
}

/**
 * The longest encoded word (RFC 2047, 2). `=?UTF-8?B?` and `?=` take 12 characters, and base64
 * turns 3 bytes into 4.
 */
const MAX_WORD_BYTES = Math.floor((75 - 12) / 4) * 3

/**
 * A mailbox (RFC 5322, 3.4): `ann@example.com`, `Ann Lee <ann@example.com>`, `"Lee, Ann"
 * <ann@example.com>`, `=?UTF-8?B?…?= <ann@example.com>`. Throws a RangeError if the result could be
 * read as anything but one mailbox.
 */
export function formatAddress(address: string, name?: string | null): string {
  if (!/^[!-?A-~]+@[!-?A-~]+$/.test(address) || /[<>()[\],;:\\"]/.test(address)) {
    throw new RangeError('An address has the form local@domain in US-ASCII')
  }
  const displayName = name?.trim() ?? ''
  if (/\p{Cc}/u.test(displayName)) throw new RangeError('A name has no control characters')
  return displayName === '' ? address : `${phrase(displayName)} <${address}>`
}

function phrase(name: string): string {
  if (!/^[ -~]*$/.test(name)) return encodedWords(name)
  // Some clients decode an encoded word anywhere, also in quotes.
  if (name.includes('=?')) return encodedWords(name)
  if (/^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~ ]*$/.test(name)) return name
  return `"${name.replace(/["\\]/g, '\\$&')}"`
}

/** Base64 words of RFC 2047, cut between characters so that each word decodes by itself. */
function encodedWords(text: string): string {
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > MAX_WORD_BYTES) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word]
    .map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`)
    .join(' ')
}
