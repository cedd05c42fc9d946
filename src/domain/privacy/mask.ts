/**
 * `ada@example.com` → `a••@e••••••.com`: a person recognizes their own address and learns no other.
 */
export function maskAddress(email: string): string {
  const [local = '', domain = ''] = email.split('@')
  const dot = domain.lastIndexOf('.')
  return `${dim(local)}@${dim(domain.slice(0, dot))}${domain.slice(dot)}`
}

const dim = (text: string): string =>
  `${text.slice(0, 1)}${'•'.repeat(Math.max(text.length - 1, 2))}`

const WORD = /[^\s<>"',;:()]+/g
const NUMBER = /\+\d[\d ()./-]{5,30}\d/g

/** Also with a full stop behind it. What begins with `@` is the name of an account elsewhere. */
const holdsAddress = (word: string): boolean => word.indexOf('@', 1) > 0 && !word.endsWith('@')

/** `+4915112345678` → `+49•••••••••••`. */
const maskPhone = (phone: string): string => `${phone.slice(0, 3)}${'•'.repeat(11)}`

/**
 * Returns a contact, or any value of one, without its addresses and numbers: to somebody who may
 * see mails and no contacts.
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
