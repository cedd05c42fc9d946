import { normalAddress } from '../../domain/text.ts'

/**
 * Returns the search term in the form of stored addresses and numbers. Empty: nothing to search
 * for.
 */
export function wordOf(text: string): string {
  const word = normalAddress(text)
  // Separators alone are not part of a number, and an empty word finds nothing.
  return (isNumber(word) && word.replace(/[\s()./-]/g, '')) || word
}

/** A number or a part of one, with separators that people write and we do not store. */
const isNumber = (word: string): boolean => /^[+\d\s()./-]+$/.test(word) && /^\+|[\s()]/.test(word)

/**
 * Returns whether the index narrows a word down: three letters in a row do, two at the end of a
 * word, and the beginning of a word. Beyond ASCII it depends on the locale of the database.
 */
export const isIndexed = (word: string): boolean =>
  /[a-z0-9]{3}|[a-z0-9]{2}[ -/:-@[-`{-~]|^[@+]?[a-z0-9]{1,2}$/.test(word)
