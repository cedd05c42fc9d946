import { isAddress } from '../text.ts'

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

const ADDRESS = /[^\s@<>"',;:()]{1,64}@[^\s@<>"',;:()]{1,255}/g
const NUMBER = /\+\d[\d ()./-]{5,30}\d/g

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
      .replace(ADDRESS, (text) => (isAddress(text) ? maskAddress(text) : text))
      .replace(NUMBER, maskPhone)
  }
  if (Array.isArray(value)) return value.map((each: unknown) => masked(each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, masked(each)]))
}
