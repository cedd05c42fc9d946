import type { ContactChanges } from '../../domain/contacts/contact-changes.ts'
import { clearedLines, eachLine } from '../../domain/contacts/contact-fields.ts'
import { refuseProperties } from '../../domain/contacts/properties.ts'
import { badRequest, type ErrorDetail, sentence } from '../../domain/errors.ts'
import { normalAddress } from '../../domain/text.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { toE164 } from '../../text/phones.ts'
import type { ContactPatch } from '../../schemas/contacts/contact-change.ts'
import type { ContactInput } from '../../schemas/contacts/contact.ts'
import type { TopicNames } from '../../store/consent/topics.ts'
import type { Executor } from '../../store/db/sql.ts'
import { resolveTopics, type UnknownTopic } from '../consent/topic-names.ts'

/** The stored form of an input, or the reason why a rule beyond the schema refuses it. */
export type Checked =
  | { values: ContactChanges; details?: never }
  | { values?: never; details: ErrorDetail[] }

/** Unique values are compared as they are stored: addresses in lower case, numbers as E.164. */
export function applyContactRules({
  topicIds: _ids,
  topicSlugs: _slugs,
  resubscribe: _resubscribe,
  ...input
}: ContactInput): Checked {
  const phone = input.phone === undefined ? undefined : toE164(input.phone)
  const details = [
    ...(input.phone !== undefined && phone === undefined ? [NO_PHONE] : []),
    ...propertyFaults(input.properties),
  ]
  if (details.length > 0) return { details }
  const email = input.email && normalAddress(input.email)
  return { values: { ...input, ...clearedLines(input), email, phone } }
}

/** The stored form of a new contact. Throws a 400 that names each broken rule. */
export function toNewContact(input: ContactInput): ContactChanges {
  const { values, details = [] } = applyContactRules(input)
  if (input.email === undefined && input.phone === undefined) details.push(UNREACHABLE)
  if (values === undefined || details.length > 0) throw refused(details)
  return values
}

/** Returns the changes of a PATCH: the fields that it names. A null status counts as absent. */
export const toChanges = (input: ContactPatch): ContactChanges => ({
  externalId: input.externalId,
  email: typeof input.email === 'string' ? normalAddress(input.email) : input.email,
  phone: typeof input.phone === 'string' ? requirePhone(input.phone) : input.phone,
  ...clearedLines(input),
  preferredChannel: input.preferredChannel,
  properties: input.properties,
  emailStatus: input.emailStatus ?? undefined,
  smsStatus: input.smsStatus ?? undefined,
})

/** Returns the changes of a PUT: all fields, except unnamed statuses. */
export function toReplacement(input: ContactPatch): ContactChanges {
  const { emailStatus, smsStatus, ...namedChanges } = toChanges(input)
  return {
    externalId: namedChanges.externalId ?? null,
    email: namedChanges.email ?? null,
    phone: namedChanges.phone ?? null,
    ...eachLine((field) => namedChanges[field] ?? null),
    preferredChannel: namedChanges.preferredChannel ?? null,
    properties: namedChanges.properties ?? null,
    emailStatus,
    smsStatus,
  }
}

/** Returns a number as it is stored. Throws a 400 for anything else. */
export function requirePhone(phone: string): string {
  const e164 = toE164(phone)
  if (e164 === undefined) throw refused([NO_PHONE])
  return e164
}

/**
 * Returns the topics in a body. Undefined: it names none. Throws a 400 with all that do not exist.
 */
export async function requireTopics(
  sql: Executor,
  organizationId: Uuid,
  { topicIds, topicSlugs }: TopicNames,
): Promise<Uuid[] | undefined> {
  if (topicIds === undefined && topicSlugs === undefined) return undefined
  const { ids, unknown } = await resolveTopics(sql, organizationId, { topicIds, topicSlugs })
  if (unknown.length > 0) throw refused(unknown.map(unknownTopic))
  return ids
}

export const unknownTopic = ({ field, index, value }: UnknownTopic) => ({
  path: `${field}[${index}]`,
  message: `names "${value}", which does not exist`,
})

const propertyFaults = (properties: Record<string, unknown> | undefined): ErrorDetail[] => {
  const message = properties === undefined ? undefined : refuseProperties(properties)
  return message === undefined ? [] : [{ path: 'properties', message }]
}

const NO_PHONE: ErrorDetail = {
  path: 'phone',
  message: 'must be an international number such as +4915112345678',
}
export const UNREACHABLE: ErrorDetail = { path: 'email', message: 'or phone is required' }

export const refused = (details: ErrorDetail[]) => badRequest(sentence(details), details)
