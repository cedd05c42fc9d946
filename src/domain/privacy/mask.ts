/** `ada@example.com` → `a••@e••••••.com`: people recognize their own address and learn no other. */
export function maskAddress(email: string): string {
  const [local = '', domain = ''] = email.split('@')
  const dot = domain.lastIndexOf('.')
  return `${dim(local)}@${dim(domain.slice(0, dot))}${domain.slice(dot)}`
}

/** `+4915112345678` → `+49•••••••••78`: the same for a phone number (E.164). */
export const maskOwnPhone = (phone: string): string =>
  `${phone.slice(0, 3)}${'•'.repeat(Math.max(phone.length - 5, 2))}${phone.slice(-2)}`

const dim = (text: string): string =>
  `${text.slice(0, 1)}${'•'.repeat(Math.max(text.length - 1, 2))}`

const WORD = /[^\s<>"',;:()]+/g
const NUMBER = /\+\d[\d ()./-]{5,30}\d/g

/**
 * Recognizes an address, also before a full stop. A word that begins with `@` is an account name
 * elsewhere.
 */
const holdsAddress = (word: string): boolean => word.indexOf('@', 1) > 0 && !word.endsWith('@')

const maskPhone = (phone: string): string => `${phone.slice(0, 3)}${'•'.repeat(11)}`

/**
 * Masks addresses and numbers in a contact, or any value of one, for callers who may see mails but
 * not contacts.
 */
export function masked<T>(value: T): T
export function masked(value: unknown): unknown {
  if (typeof value === 'string') {
    return value
      .replace(WORD, (word) => (holdsAddress(word) ? maskAddress(word) : word))
      .replace(NUMBER, maskPhone)
  }
  if (Array.isArray(value)) return value.map((each: unknown) => masked(each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, masked(each)]))
}
