/** Limit in characters. The Temporal UI refuses names above 400 bytes of JSON. */
const LONGEST = 60

/** Characters with a meaning in Markdown in the middle of a line. */
const SPECIAL = /[\\`*_[\]<>#|~&!]/gu
const LIST = /^(\d*)([-+.)])/u

/**
 * Returns a user's text as one short line of Markdown for the Temporal UI: blanks and control
 * characters become one blank, the end is cut off, and formatting, links and HTML are escaped. No
 * character needs more than four bytes in JSON.
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
