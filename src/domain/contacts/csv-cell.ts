/** A spreadsheet takes a cell that begins like this for a formula, and runs it. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const PHONE = /^\+?\d+$/
const GUARD = "'"

/** A text from which a reader takes the first apostrophe. */
const GUARDED = /^'(?:'|[=+\-@\t\r\n＝＋－＠])/

/**
 * Returns a cell as we write it. A leading `'` keeps a spreadsheet from running it. A text that
 * looks guarded gets one more, so that `unguardCell` always gives back what was written.
 */
export const guardCell = (text: string): string =>
  GUARDED.test(text) || (FORMULA.test(text) && !PHONE.test(text)) ? GUARD + text : text

/** Returns the text of a cell. An apostrophe that belongs to a name, as in `'t Hooft`, stays. */
export const unguardCell = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell)

/** Control characters apart from tab and line breaks. NUL is refused elsewhere. */
const CONTROL = /(?![\0\t\n\r])\p{Cc}/gu

/**
 * Returns the text of a cell of somebody's file as it is stored: without a guard, blanks around it
 * and control characters, its line breaks as `\n`, in NFC.
 */
export const readCell = (cell: string): string =>
  unguardCell(cell).replace(CONTROL, '').replace(/\r\n?/g, '\n').trim().normalize('NFC')
