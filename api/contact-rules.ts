import { badRequest, type ErrorDetail } from '../src/domain/errors.ts'
import type { ContactInput } from '../src/schemas/contact.ts'
import type { ContactValues } from '../src/store/contacts.ts'

/** The longest international number has fifteen digits (E.164). */
const PHONE = /^\+[1-9]\d{6,14}$/

/** What is stored of an input, or why a rule beyond the schema refuses it. */
export type Ruled =
  | { values: ContactValues; details?: never }
  | { values?: never; details: ErrorDetail[] }

/** Unique values are compared as they are stored: addresses in lower case, numbers as digits. */
export function applyContactRules({ topicIds, topicSlugs, ...input }: ContactInput): Ruled {
  const details = [
    ...unknownTopics('topicIds', topicIds),
    ...unknownTopics('topicSlugs', topicSlugs),
  ]
  const phone = input.phone?.replace(/[\s().-]/g, '')
  if (phone !== undefined && !PHONE.test(phone)) {
    details.push({
      path: 'phone',
      message: 'must be an international number such as +4915112345678',
    })
  }
  if (details.length > 0) return { details }
  return { values: { ...input, email: input.email?.trim().toLowerCase(), phone } }
}

/** There are no topics yet, so whatever is given does not exist. */
const unknownTopics = (field: string, given: readonly string[] = []): ErrorDetail[] =>
  given.map((topic, i) => ({ path: `${field}.${i}`, message: `"${topic}" does not exist` }))

/** What is stored of a new contact: 400 when it breaks a rule, naming each. */
export function ruledContact(input: ContactInput): ContactValues {
  const { values, details = [] } = applyContactRules(input)
  if (input.email === undefined && input.phone === undefined) details.push(UNREACHABLE)
  if (values === undefined || details.length > 0) throw badRequest(sentence(details), details)
  return values
}

const UNREACHABLE: ErrorDetail = { path: 'email', message: 'or phone is needed' }

export const sentence = (details: readonly ErrorDetail[]): string =>
  details.map(({ path, message }) => `${path} ${message}`).join('; ')
