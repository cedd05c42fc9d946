import { cleanLine } from '../text.ts'
import { CONTACT_FIELDS } from './contact-fields.ts'

export interface NameParts {
  firstName?: string
  lastName?: string
}

/**
 * Splits a whole name: the first word is the first name and the rest the last name, as in forms
 * with one field. A single word is a first name. `Lovelace, Ada` is swapped.
 */
export function splitName(name: string): NameParts {
  const text = cleanLine(name).replaceAll(/\s+/g, ' ')
  const [, last, first] = /^([^ ,]+), ?([^ ,]+)$/.exec(text) ?? []
  if (first !== undefined && last !== undefined) return partsOf(first, last)
  const space = text.indexOf(' ')
  return space < 0 ? partsOf(text, '') : partsOf(text.slice(0, space), text.slice(space + 1))
}

const partsOf = (first: string, last: string): NameParts => ({
  ...(first === '' ? {} : { firstName: cut(first, CONTACT_FIELDS.firstName.most) }),
  ...(last === '' ? {} : { lastName: cut(last, CONTACT_FIELDS.lastName.most) }),
})

const cut = (text: string, most: number): string => Array.from(text).slice(0, most).join('')
