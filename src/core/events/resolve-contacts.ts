import type { Addressed } from '../../domain/address.ts'
import type { NameParts } from '../../domain/contacts/person-name.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as namedContacts from '../../store/contacts/named-contacts.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import * as eventIds from '../../store/events/event-ids.ts'
import { upsert } from '../contacts/upsert.ts'

export interface Subject {
  contactId?: Uuid | undefined
  externalId?: string | undefined
  /** Normalised. */
  email?: string | undefined
  createIfMissing: boolean
  names: NameParts
  name: string
  eventId?: string | undefined
}

export type Missing = 'unknown' | 'foreign' | 'no_address' | 'other_person' | 'busy'

/** The contact of a subject, which may be gone by now, or the reason why it has none. */
export type Resolved =
  | { contactId: Uuid; isNew: boolean }
  | { missing: Missing }
  /** Repeated events create no contact. */
  | { isDuplicate: true }

export interface Options {
  addressOf: (email: string) => Addressed
  requestId: string | undefined
  /** The events are of several requests: no contact may be made or changed for one of them. */
  isMixed?: boolean
}

/** Events of several requests cannot be stored together. Each is to be stored by itself. */
export class NotMixable extends Error {}

/**
 * Finds the contacts of events, and creates missing ones if requested. A contact without an
 * external id or an address gets the one that an event names beside another key. No other contact
 * is locked. One that is named by our id alone is not looked up, since storing its event finds it.
 *
 * Tried in this order: our id, the external id, the address. An address never leads to a contact
 * that the organization knows by another external id.
 */
export async function resolve(
  tx: Transaction,
  organizationId: Uuid,
  subjects: readonly Subject[],
  options: Options,
): Promise<Resolved[]> {
  let resolved = await lookAndFill(tx, organizationId, subjects, options)
  if (!subjects.some(({ createIfMissing }) => createIfMissing)) return resolved
  const wantedSubjects = subjects.flatMap((subject, index) => {
    const resolvedContact = resolved[index]
    const isWanted = subject.createIfMissing && resolvedContact && 'missing' in resolvedContact
    return isWanted && resolvedContact.missing === 'unknown' ? [{ subject, index }] : []
  })
  const unreachable = new Set(
    wantedSubjects.filter(({ subject }) => subject.email === undefined).map(({ index }) => index),
  )
  const before = await listRepeated(tx, organizationId, wantedSubjects)
  const reachable = wantedSubjects.filter(
    ({ index }) => !unreachable.has(index) && !before.has(index),
  )
  const createdIds = await make(tx, organizationId, reachable, options)
  // Looked up again: two rows may mean one person, and others make contacts at the same moment.
  if (reachable.length > 0) resolved = await lookAndFill(tx, organizationId, subjects, options)
  return resolved.map((resolvedContact, index) => {
    if ('contactId' in resolvedContact)
      return { ...resolvedContact, isNew: createdIds.has(resolvedContact.contactId) }
    const subject = subjects[index]
    const isWanted = wantedSubjects.some((each) => each.index === index)
    if (
      !subject ||
      !isWanted ||
      !('missing' in resolvedContact) ||
      resolvedContact.missing !== 'unknown'
    )
      return resolvedContact
    if (before.has(index)) return { isDuplicate: true }
    return { missing: unreachable.has(index) ? 'no_address' : 'busy' }
  })
}

/**
 * Returns the indexes of subjects with repeated events: of the contact that each has found, or of
 * any contact if none was found. No contact is created or changed for those.
 */
async function listRepeated(
  sql: Executor,
  organizationId: Uuid,
  namedSubjects: readonly { subject: Subject; index: number; id?: Uuid }[],
): Promise<Set<number>> {
  const keyed = namedSubjects.flatMap(({ subject: { eventId, name }, index, id: contactId }) =>
    eventId === undefined
      ? []
      : [{ index, key: { eventId, name, ...(contactId && { contactId }) } }],
  )
  const knownIndexes = await eventIds.known(
    sql,
    organizationId,
    keyed.map(({ key }) => key),
  )
  return new Set(keyed.flatMap(({ index }, place) => (knownIndexes.has(place) ? [index] : [])))
}

interface Gap {
  subject: Subject
  index: number
  id: Uuid
  values: { externalId?: string; email?: string }
}

/** Looks contacts up. Missing keys are filled, and all contacts are looked up by them again. */
async function lookAndFill(
  tx: Transaction,
  organizationId: Uuid,
  subjects: readonly Subject[],
  options: Options,
): Promise<Resolved[]> {
  const { resolved, gaps } = await look(tx, organizationId, subjects)
  if (gaps.length === 0) return resolved
  const before = await listRepeated(tx, organizationId, gaps)
  const rows = gaps.filter(({ index }) => !before.has(index))
  if (rows.length === 0) return resolved
  if (options.isMixed) throw new NotMixable()
  // A key that another contact gets at this moment stays with that contact, and the gap stays.
  await upsert(tx, organizationId, rows, {
    ...options,
    source: 'api',
    mode: 'merge',
    fillsOnly: true,
    mayLift: false,
  })
  return (await look(tx, organizationId, subjects)).resolved
}

async function look(
  sql: Executor,
  organizationId: Uuid,
  subjects: readonly Subject[],
): Promise<{ resolved: Resolved[]; gaps: Gap[] }> {
  const namedSubjects = subjects.filter(({ externalId, email }) => externalId ?? email)
  // Nothing to look up: most programs know our ids.
  if (namedSubjects.length === 0) {
    const resolved = subjects.map(({ contactId = '' }) => ({ contactId, isNew: false }))
    return { resolved, gaps: [] }
  }
  const knownContacts = await namedContacts.listByKeys(sql, organizationId, {
    ids: namedSubjects.flatMap(({ contactId }) => contactId ?? []),
    externalIds: namedSubjects.flatMap(({ externalId }) => externalId ?? []),
    emails: namedSubjects.flatMap(({ email }) => email ?? []),
  })
  const byId = new Map(knownContacts.map((each) => [each.id, each]))
  const byExternalId = new Map(knownContacts.map((each) => [each.externalId, each]))
  const byEmail = new Map(knownContacts.map((each) => [each.email, each]))
  const unfound: Uuid[] = []
  const resolved = subjects.map((subject): Resolved => {
    const { contactId, externalId, email } = subject
    if (contactId !== undefined) {
      const isOnlyKey = externalId === undefined && email === undefined
      if (isOnlyKey || byId.has(contactId)) return { contactId, isNew: false }
      unfound.push(contactId)
    }
    const holder = externalId === undefined ? undefined : byExternalId.get(externalId)
    if (holder) return { contactId: holder.id, isNew: false }
    const addressee = email === undefined ? undefined : byEmail.get(email)
    if (!addressee) return { missing: 'unknown' }
    const isOther = externalId !== undefined && addressee.externalId !== null
    if (isOther) return { missing: subject.createIfMissing ? 'other_person' : 'unknown' }
    return { contactId: addressee.id, isNew: false }
  })
  const foreign = await namedContacts.listForeign(sql, organizationId, unfound)
  const gaps = subjects.flatMap((subject, index): Gap[] => {
    const { externalId, email } = subject
    const resolvedContact = resolved[index]
    const contact =
      resolvedContact && 'contactId' in resolvedContact
        ? byId.get(resolvedContact.contactId)
        : undefined
    if (!contact) return []
    const lacksExternalId = contact.externalId === null && !byExternalId.has(externalId ?? null)
    const lacksEmail = contact.email === null && !byEmail.has(email ?? null)
    const values = {
      ...(externalId !== undefined && lacksExternalId ? { externalId } : {}),
      ...(email !== undefined && lacksEmail ? { email } : {}),
    }
    return Object.keys(values).length > 0 ? [{ subject, index, id: contact.id, values }] : []
  })
  const finalContacts = resolved.map((found, index): Resolved => {
    const contactId = subjects[index]?.contactId
    return contactId !== undefined && foreign.has(contactId) ? { missing: 'foreign' } : found
  })
  return { resolved: finalContacts, gaps }
}

/**
 * Creates contacts like every other writer: an address on the suppression list gets its status.
 * Returns the ids of new contacts.
 */
async function make(
  tx: Transaction,
  organizationId: Uuid,
  wantedSubjects: readonly { subject: Subject; index: number }[],
  options: Options,
): Promise<Set<Uuid>> {
  if (wantedSubjects.length === 0) return new Set()
  if (options.isMixed) throw new NotMixable()
  const rows = wantedSubjects.map(({ subject: { externalId, email, names }, index }) => ({
    index,
    values: { externalId, email, ...names },
  }))
  const { results } = await upsert(tx, organizationId, rows, {
    ...options,
    source: 'api',
    onDuplicate: 'skip',
    mayLift: false,
  })
  return new Set(results.flatMap(({ id, status }) => (status === 'created' && id ? [id] : [])))
}
