// What a text may be, for who comes over the wire and for who types at a terminal.

/** Characters of an email address. */
export const LONGEST_ADDRESS = 255
/** Characters of a name: a person's, an organization's, a key's. */
export const LONGEST_NAME = 200

const ADDRESS =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** What a domain may hold: in ASCII letters, digits, hyphens and dots only. */
const DOMAIN = /^[a-z0-9.\u0080-\uffff-]+$/i
/** Has labels outside ASCII (U-labels), or such that stand for them (A-labels, RFC 5890). */
const INTERNATIONAL = /[^\0-\u007f]|(?:^|\.)xn--/i
/** A label that begins or ends with a hyphen (RFC 5891, 4.2.3.1). */
const HYPHEN_AT_AN_END = /(?:^|[.\u3002])-|-(?:[.\u3002]|$)/
/** An IPv4 address, which `URL` reads out of digits of any script. */
const NUMBERS = /\.\d+$/

/**
 * Returns an address as mail is sent to it: trimmed, its domain in A-labels (UTS 46, RFC 5891).
 * Undefined: the text is no address, or none whose domain DNS knows. Local parts are ASCII: SES
 * does not take others.
 */
export function readAddress(text: string): string | undefined {
  const address = text.trim()
  if (address.length > LONGEST_ADDRESS) return undefined
  const at = address.lastIndexOf('@') + 1
  const given = address.slice(at)
  const domain = INTERNATIONAL.test(given) ? inALabels(given) : given
  const mapped = address.slice(0, at) + (domain ?? '')
  return mapped.length <= LONGEST_ADDRESS && ADDRESS.test(mapped) ? mapped : undefined
}

function inALabels(domain: string): string | undefined {
  if (!DOMAIN.test(domain) || HYPHEN_AT_AN_END.test(domain.normalize('NFKC'))) return undefined
  const url = `http://${domain}`
  if (!URL.canParse(url)) return undefined
  const { hostname } = new URL(url)
  return NUMBERS.test(hostname) ? undefined : hostname
}

/** Blanks around it are forgiven: they are trimmed before it is stored or compared. */
export const isAddress = (text: string): boolean => readAddress(text) !== undefined

/**
 * Returns an address as it is stored, compared and hashed: as `readAddress` does, in small
 * letters. What is no address is trimmed and in small letters.
 */
export const normalAddress = (text: string): string =>
  (readAddress(text) ?? text.trim()).toLowerCase()

/** Part of an address, such as `@Bücher.example`, as it is in those that are stored. */
export function normalAddressPart(text: string): string {
  const part = text.toLowerCase()
  const at = part.lastIndexOf('@') + 1
  const domain = part.slice(at)
  return INTERNATIONAL.test(domain) ? part.slice(0, at) + (inALabels(domain) ?? domain) : part
}

/** Control characters and the separators of lines and paragraphs. */
const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu

/** Returns a key of a caller's own as it is stored: trimmed, in NFC. */
export const cleanWord = (text: string): string => text.trim().normalize('NFC')

/** Returns a text of one line as it is stored: trimmed, in NFC, with blanks for line breaks. */
export const cleanLine = (text: string): string => cleanWord(text.replace(LINE_BREAKS, ' '))

/** Returns whether a text of one line has at most `most` characters once it is cleaned. */
export function isWithin(text: string, most: number): boolean {
  let characters = 0
  for (const _ of cleanLine(text)) if (++characters > most) return false
  return true
}

/** A line that may end up in a mail header: no control characters. */
export const LINE = '^[^\\u0000-\\u001f\\u007f]*$'

/** Characters of a caller's own text where an error names it. */
export const LONGEST_SHOWN = 200
/** Characters of a message: of the name of a step, a place and the longest list of words. */
export const LONGEST_MESSAGE = 1_000
/** What Postgres cannot store as text, and JSON cannot be trusted to carry. */
const UNWRITABLE = /\p{Surrogate}|\0/gu

/** A caller's own text as an error names it: cut, and with `?` for what cannot be written. */
export function shown(text: string, most = LONGEST_SHOWN): string {
  const isLong = text.length > most
  // Before it is looked through: it may be megabytes.
  const short = isLong ? text.slice(0, most - 1) : text
  return short.replace(UNWRITABLE, '?') + (isLong ? '…' : '')
}
