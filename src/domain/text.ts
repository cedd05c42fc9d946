// What a text may be, for who comes over the wire and for who types at a terminal.

export const LONGEST_ADDRESS = 255
export const LONGEST_NAME = 200

const ADDRESS =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Characters of a domain. In ASCII only letters, digits, hyphens and dots. */
const DOMAIN = /^[a-z0-9.\u0080-\uffff-]+$/i
/** Matches U-labels and A-labels (RFC 5890). */
const INTERNATIONAL = /[^\0-\u007f]|(?:^|\.)xn--/i
/** Matches labels that begin or end with a hyphen (RFC 5891, 4.2.3.1). */
const HYPHEN_AT_AN_END = /(?:^|[.\u3002])-|-(?:[.\u3002]|$)/
/** Matches IPv4 addresses, which `URL` reads from digits of any script. */
const NUMBERS = /\.\d+$/

/**
 * Returns an address in the form to which mail is sent: trimmed, its domain in A-labels (UTS 46,
 * RFC 5891). Undefined: the text is not an address, or DNS cannot know its domain. Local parts are
 * ASCII, since SES does not accept others.
 */
export function readAddress(text: string): string | undefined {
  const address = text.trim()
  if (address.length > LONGEST_ADDRESS) return undefined
  const at = address.lastIndexOf('@') + 1
  const givenDomain = address.slice(at)
  const domain = INTERNATIONAL.test(givenDomain) ? inALabels(givenDomain) : givenDomain
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

export const isAddress = (text: string): boolean => readAddress(text) !== undefined

/**
 * Returns an address as it is stored, compared and hashed: like `readAddress`, in lower case. A
 * text that is not an address is trimmed and in lower case.
 */
export const normalAddress = (text: string): string =>
  (readAddress(text) ?? text.trim()).toLowerCase()

/** Normalizes a part of an address, such as `@Bücher.example`, as stored addresses are. */
export function normalAddressPart(text: string): string {
  const part = text.toLowerCase()
  const at = part.lastIndexOf('@') + 1
  const domain = part.slice(at)
  return INTERNATIONAL.test(domain) ? part.slice(0, at) + (inALabels(domain) ?? domain) : part
}

const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu

/** Returns a caller's key as it is stored: trimmed, in NFC. */
export const cleanWord = (text: string): string => text.trim().normalize('NFC')

/** Returns a line of text as it is stored: trimmed, in NFC, with blanks for line breaks. */
export const cleanLine = (text: string): string => cleanWord(text.replace(LINE_BREAKS, ' '))

/** Returns whether a text of one line has at most `most` characters once it is cleaned. */
export function isWithin(text: string, most: number): boolean {
  let characters = 0
  for (const _ of cleanLine(text)) if (++characters > most) return false
  return true
}

/** A line that may end up in a mail header: no control characters. */
export const LINE = '^[^\\u0000-\\u001f\\u007f]*$'

/** Limit of a caller's own text in an error message. */
export const LONGEST_SHOWN = 200
export const LONGEST_MESSAGE = 1_000
/** Characters that Postgres cannot store and JSON does not carry reliably. */
const UNWRITABLE = /\p{Surrogate}|\0/gu

/**
 * Returns a caller's text for an error message: cut, with `?` for characters that cannot be
 * written.
 */
export function shown(text: string, most = LONGEST_SHOWN): string {
  const isLong = text.length > most
  // Before it is looked through: it may be megabytes.
  const short = isLong ? text.slice(0, most - 1) : text
  return short.replace(UNWRITABLE, '?') + (isLong ? '…' : '')
}
