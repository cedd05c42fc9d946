/** Characters of a name that the Temporal UI shows: it is refused above 400 bytes of JSON. */
const LONGEST = 60

/** What Markdown may read as more than text, in the middle of a line. */
const SPECIAL = /[\\`*_[\]<>#|~&!]/gu
/** What would begin a list. */
const LIST = /^(\d*)([-+.)])/u

/**
 * A user's text as one short line of the Markdown that the Temporal UI shows: blanks and control
 * characters become one blank, the end is cut off, and nothing in it is read as formatting, a link
 * or HTML. In JSON no character of it needs more than four bytes.
 */
export function operatorText(text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
  return short
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\p{Surrogate}/gu, '?')
    .trim()
    .replace(SPECIAL, '\\$&')
    .replace(LIST, '$1\\$2')
}
