import type { ErrorDetail } from './errors.ts'
import { LONGEST_NAME, readAddress } from './text.ts'

export interface Mailbox {
  address: string
  name: string | null
}

/** Limit in characters: the longest name with each character encoded, and an address. */
export const LONGEST_MAILBOX = 3_000

/** C0 and C1 controls. A line break in a name would begin another header. */
const CONTROL = /\p{Cc}|[\u2028\u2029]/u
/** Characters with a meaning outside quotes (RFC 5322, 3.2.3): a comma begins another mailbox. */
const SPECIAL = /[()<>[\]:;@\\,"]/

/**
 * Reads the sender from `from`, which may be `Name <address>`, and `fromName`. Both may contain the
 * name if they agree. `name` undefined: neither has one. Null: no name is wanted.
 */
export function readSender(
  from: string,
  fromName: string | null | undefined,
): { address: string; name: string | null | undefined; problems: ErrorDetail[] } {
  const { address, name } = parseMailbox(from) ?? { address: from.trim(), name: null }
  const givenName = fromName?.trim()
  const problems: ErrorDetail[] = []
  if (givenName !== undefined && CONTROL.test(givenName)) {
    problems.push({ path: 'fromName', message: 'must not contain control characters' })
  }
  if (name !== null && fromName !== undefined && givenName !== name) {
    problems.push({ path: 'fromName', message: 'differs from the name in from' })
  }
  if (fromName === undefined) return { address, name: name ?? undefined, problems }
  return { address, name: givenName === undefined || givenName === '' ? null : givenName, problems }
}

/**
 * Reads one mailbox (RFC 5322, 3.4): `ann@example.com`, `<ann@example.com>`, `Ann Lee
 * <ann@example.com>`, `"Lee, Ann" <ann@example.com>`, and names in encoded words (RFC 2047).
 * Undefined: anything else, such as two mailboxes. Each character is read once or twice.
 */
export function parseMailbox(input: string): Mailbox | undefined {
  if (input.length > LONGEST_MAILBOX) return undefined
  const text = input.trim()
  if (CONTROL.test(text)) return undefined
  if (!text.endsWith('>')) return mailbox(text, null)
  const begin = text.lastIndexOf('<')
  if (begin < 0) return undefined
  const name = readName(text.slice(0, begin).trim())
  return name === undefined ? undefined : mailbox(text.slice(begin + 1, -1), name)
}

function mailbox(givenAddress: string, name: string | null): Mailbox | undefined {
  const address = readAddress(givenAddress)
  if (address === undefined) return undefined
  const displayName = name?.trim() ?? ''
  if (CONTROL.test(displayName) || Array.from(displayName).length > LONGEST_NAME) return undefined
  return { address, name: displayName === '' ? null : displayName }
}

function readName(text: string): string | undefined {
  if (text.startsWith('"')) return unquoted(text)
  return SPECIAL.test(text) ? undefined : decoded(text)
}

/** Reads one quoted string (RFC 5322, 3.2.4). */
function unquoted(text: string): string | undefined {
  let name = ''
  for (let at = 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') return at === text.length - 1 ? name : undefined
    if (character === '\\') at++
    name += text.charAt(at)
  }
  return undefined
}

/** Reads plain and encoded words. Blanks between two encoded words are dropped (RFC 2047, 6.2). */
function decoded(text: string): string | undefined {
  let name = ''
  let wasEncoded = false
  for (const word of text.split(/\s+/)) {
    const isEncoded = word.startsWith('=?') && word.endsWith('?=')
    const decodedText = isEncoded ? decodedWord(word) : word
    if (decodedText === undefined) return undefined
    name += (name === '' || (isEncoded && wasEncoded) ? '' : ' ') + decodedText
    wasEncoded = isEncoded
  }
  return name
}

/** Decodes a word (RFC 2047, 2) in UTF-8 or US-ASCII. A language may follow (RFC 2231, 5). */
function decodedWord(word: string): string | undefined {
  const [charset = '', encoding = '', text = '', ...more] = word.slice(2, -2).split('?')
  const [name = ''] = charset.toLowerCase().split('*')
  if (more.length > 0 || !['utf-8', 'us-ascii'].includes(name)) return undefined
  const octets = octetsOf(encoding.toLowerCase(), text)
  return octets && fromUtf8(octets)
}

function octetsOf(encoding: string, text: string): number[] | undefined {
  if (encoding === 'b') return base64Octets(text)
  return encoding === 'q' ? quotedOctets(text) : undefined
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function base64Octets(text: string): number[] | undefined {
  const octets: number[] = []
  let bits = 0
  let count = 0
  for (const character of text.replace(/={1,2}$/, '')) {
    const value = BASE64.indexOf(character)
    if (value < 0) return undefined
    bits = ((bits << 6) | value) & 0xff_ff
    count += 6
    if (count < 8) continue
    count -= 8
    octets.push((bits >> count) & 0xff)
  }
  return octets
}

function quotedOctets(text: string): number[] | undefined {
  const octets: number[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    const code = character === '_' ? 0x20 : character.charCodeAt(0)
    if (code > 0x7e) return undefined
    if (character !== '=') {
      octets.push(code)
      continue
    }
    const digits = text.slice(at + 1, at + 3)
    if (!/^[0-9a-f]{2}$/i.test(digits)) return undefined
    octets.push(Number.parseInt(digits, 16))
    at += 2
  }
  return octets
}

function fromUtf8(octets: readonly number[]): string | undefined {
  try {
    return decodeURIComponent(
      octets.map((octet) => `%${octet.toString(16).padStart(2, '0')}`).join(''),
    )
  } catch {
    return undefined
  }
}
