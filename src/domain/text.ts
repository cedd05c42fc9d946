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
