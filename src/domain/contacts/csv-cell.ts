/** A spreadsheet takes a cell that begins like this for a formula, and runs it. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const PHONE = /^\+?\d+$/
const GUARD = "'"

/**
 * A cell as we write it: a leading `'` keeps a spreadsheet from running it. A text that begins with
 * `'` itself gets one more, so that taking exactly one off always gives back what was written.
 */
export const guardCell = (text: string): string =>
  text.startsWith(GUARD) || (FORMULA.test(text) && !PHONE.test(text)) ? GUARD + text : text

/** The text of a cell that may be guarded. */
export const unguardCell = (cell: string): string => (cell.startsWith(GUARD) ? cell.slice(1) : cell)
