import { normalAddress } from '../../domain/text.ts'

/** What is searched for, as addresses and numbers are stored. Empty: nothing. */
export function wordOf(text: string): string {
  const word = normalAddress(text)
  // Separators alone are in no number, and an empty word finds nothing.
  return (isNumber(word) && word.replace(/[\s()./-]/g, '')) || word
}

/** A number, whole or in part, with the separators that people write and we do not store. */
const isNumber = (word: string): boolean => /^[+\d\s()./-]+$/.test(word) && /^\+|[\s()]/.test(word)

/**
 * Whether the index narrows a word down: three letters in a row do, two that end there, and how
 * something begins. Of letters beyond ASCII that depends on the locale of the database.
 */
export const isIndexed = (word: string): boolean =>
  /[a-z0-9]{3}|[a-z0-9]{2}[ -/:-@[-`{-~]|^[@+]?[a-z0-9]{1,2}$/.test(word)
