// What a text may be, for who comes over the wire and for who types at a terminal.

/** Characters of an email address. */
export const LONGEST_ADDRESS = 255
/** Characters of a name: a person's, an organization's, a key's. */
export const LONGEST_NAME = 200

const ADDRESS =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Blanks around it are forgiven: they are trimmed before it is stored or compared. */
export const isAddress = (text: string): boolean => ADDRESS.test(text.trim())

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
