import { uuidv7, type Uuid } from '../../runtime/ids.ts'
import type { Erasure } from '../../schemas/privacy/personal-data.ts'
import * as contacts from '../../store/contacts/contacts.ts'
import * as removals from '../../store/contacts/removals.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import * as outbox from '../../store/platform/outbox.ts'
import * as erasedMails from '../../store/privacy/erased-mails.ts'
import * as erasures from '../../store/privacy/erasures.ts'
import * as formerAddresses from '../../store/privacy/former-addresses.ts'
import { addressHash } from '../../keys/tokens.ts'
import { removeLocked } from '../contacts/remove.ts'

export interface PersonKeys {
  /** Keys of a contact, in the order in which they are tried. */
  keys: readonly contacts.ContactKey[]
  /** Contact that was deleted earlier, if none has one of the keys. */
  former: { id: Uuid } | { email: string } | undefined
}

/**
 * Deletes the named contact, so that it gets no more mail, and returns its identifiers in stored
 * data. Without a contact: a person who was deleted before, named by id or address, of whom only
 * logs are left. Undefined: no such person is known.
 */
export async function removePerson(
  tx: Transaction,
  organizationId: Uuid,
  { keys, former }: PersonKeys,
  requestId: string,
): Promise<removals.PersonalTexts | undefined> {
  const living = await findByKeys(tx, organizationId, keys)
  const lockedContact = living && (await removals.lockNamed(tx, organizationId, living))
  if (lockedContact) {
    await removeLocked(tx, organizationId, [lockedContact.contactId], requestId)
    return lockedContact
  }
  if (former === undefined) return undefined
  const rest = { phone: null, externalId: null }
  if ('id' in former) {
    const { id } = former
    if (!(await formerAddresses.exists(tx, organizationId, id))) return undefined
    const mailed = { organizationId, contactIds: [id], addressHashes: [], until: '' }
    const email = (await erasedMails.findRecipient(tx, mailed)) ?? null
    // A contact that has the address now is another person and is not erased.
    const isTaken = email !== null && (await contacts.find(tx, organizationId, { email }))
    return { ...rest, contactId: id, email: isTaken ? null : email }
  }
  const { email } = former
  const latest = await formerAddresses.findDeleted(
    tx,
    organizationId,
    hashOf(organizationId, email),
  )
  return latest === undefined ? undefined : { ...rest, contactId: latest, email }
}

export async function findByKeys(
  sql: Executor,
  organizationId: Uuid,
  keys: readonly contacts.ContactKey[],
): Promise<Uuid | undefined> {
  for (const key of keys) {
    const id = await contacts.findId(sql, organizationId, key)
    if (id !== undefined) return id
  }
  return undefined
}

export interface WholePerson {
  contactIds: Uuid[]
  addresses: formerAddresses.FormerAddress[]
}

export async function findWholePerson(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  email: string | null,
): Promise<WholePerson> {
  const earlier = await formerAddresses.listEarlierHolders(
    sql,
    organizationId,
    contactId,
    email === null ? null : hashOf(organizationId, email),
  )
  const contactIds = [...new Set([contactId, ...earlier])]
  return { contactIds, addresses: await formerAddresses.listOf(sql, organizationId, contactIds) }
}

const hashOf = (organizationId: Uuid, email: string): string =>
  addressHash(organizationId, email).toString('hex')

const startOf = ({ id: erasureId }: Pick<Erasure, 'id'>) =>
  ({ kind: 'start_erasure', payload: { erasureId } }) as const

/**
 * Starts the workflow of a running erasure that is requested again, since its run may be lost. An
 * open run goes on, and a start that waits in the outbox is not repeated.
 */
export async function startAgain(
  tx: Transaction,
  organizationId: Uuid,
  erasure: Erasure,
  requestId: string,
): Promise<void> {
  if (erasure.status !== 'running') return
  const start = startOf(erasure)
  if ((await outbox.listWaiting(tx, [start])).length > 0) return
  await outbox.put(tx, organizationId, start, requestId)
}

/**
 * Accepts the erasure of a removed person, with the outbox message that starts its workflow.
 * Undefined: an erasure exists already.
 */
export async function accept(
  tx: Transaction,
  organizationId: Uuid,
  person: removals.PersonalTexts,
  requestId: string,
): Promise<Erasure | undefined> {
  const erasureId = uuidv7()
  const { contactId, email } = person
  const { contactIds } = await findWholePerson(tx, organizationId, contactId, email)
  const created = await erasures.create(tx, { ...person, organizationId, erasureId, contactIds })
  if (!created) return undefined
  await outbox.put(tx, organizationId, startOf(created), requestId)
  return created
}
