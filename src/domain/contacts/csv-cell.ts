/** Beginnings of a cell that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const PHONE = /^\+?\d+$/
const GUARD = "'"

/** A text whose first apostrophe a reader removes. */
const GUARDED = /^'(?:'|[=+\-@\t\r\n＝＋－＠])/

/**
 * Returns a cell for an export. A leading `'` prevents a spreadsheet from running it. A text that
 * looks guarded gets one more, so that `unguardCell` always returns the original.
 */
export const guardCell = (text: string): string =>
  GUARDED.test(text) || (FORMULA.test(text) && !PHONE.test(text)) ? GUARD + text : text

/** Returns the text of a cell. An apostrophe that belongs to a name, as in `'t Hooft`, stays. */
export const unguardCell = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell)

/** Control characters apart from tab and line breaks. NUL is refused elsewhere. */
const CONTROL = /(?![\0\t\n\r])\p{Cc}/gu

/**
 * Returns the text of a cell of a foreign file in stored form: without a guard, surrounding blanks
 * and control characters, line breaks as `\n`, in NFC.
 */
export const readCell = (cell: string): string =>
  unguardCell(cell).replace(CONTROL, '').replace(/\r\n?/g, '\n').trim().normalize('NFC')
