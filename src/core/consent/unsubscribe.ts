import type { Addressed } from '../../domain/address.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as mailUnsubscribes from '../../store/consent/mail-unsubscribes.ts'
import * as contactStatuses from '../../store/consent/contact-statuses.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import * as topics from '../../store/consent/topics.ts'
import { type Executor, type Sql, type Transaction, transact } from '../../store/db/sql.ts'
import { searchAddress } from './address-search.ts'
import { suppress } from './email-status.ts'
import * as subscriptions from './subscriptions.ts'

export interface UnsubscribeRequest {
  contactId: Uuid
  /** Hash of the mailed address: first 16 bytes of SHA-256(organization id, address). */
  addressHash: Buffer
  mailed: Addressed
  /** Absent, or a deleted topic: all mail. */
  topicId?: Uuid | undefined
  /** The batch, or the single mail, that contained the link. Each mail counts once. */
  batchId?: Uuid | undefined
  mailId?: Uuid | undefined
  addressOf: (email: string) => Addressed
  requestId?: string | undefined
}

const MOST_TRIES = 5

/**
 * Unsubscribes a person from a topic or from all mail. It is done when this returns. Acts on the
 * contact of the link, whatever its address is now, and on the mailed address, whoever has it now.
 * If the contact no longer has that address, a link of a topic unsubscribes the address from all
 * mail, since an address alone has no topics. Returns the affected contacts.
 */
export async function unsubscribe(
  sql: Sql,
  organizationId: Uuid,
  request: UnsubscribeRequest,
): Promise<Uuid[]> {
  const acted = new Set([request.contactId])
  for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
    const done = await transact(sql, (tx) => unsubscribeOnce(tx, organizationId, request))
    for (const contactId of done.contactIds) acted.add(contactId)
    if (!done.isAddressKnown) {
      const otherContactIds = await unsubscribeByHash(sql, organizationId, request)
      for (const contactId of otherContactIds) acted.add(contactId)
    }
    if (!done.isAddressChanged) break
  }
  return [...acted]
}

interface Unsubscribed {
  contactIds: Uuid[]
  /** The contact's address changed meanwhile. The new one must be handled, too. */
  isAddressChanged: boolean
  isAddressKnown: boolean
}

async function unsubscribeOnce(
  tx: Transaction,
  organizationId: Uuid,
  request: UnsubscribeRequest,
): Promise<Unsubscribed> {
  const { contactId, mailed, addressOf, requestId } = request
  const mail = await mailUnsubscribes.lockMail(tx, organizationId, request)
  const { email } = (await contactStatuses.find(tx, organizationId, contactId)) ?? { email: null }
  const own = email === null ? null : addressOf(email)
  const topicId =
    request.topicId === undefined
      ? undefined
      : await topics.findId(tx, organizationId, request.topicId)
  const isSame = own !== null && same(own, mailed)
  const resolved = isSame ? own : await resolveAddress(tx, organizationId, request)

  const addresses: Addressed[] = []
  if (!isSame || topicId === undefined) addresses.push(resolved ?? mailed)
  if (!isSame && topicId === undefined && own !== null) addresses.push(own)
  const suppressed = await unsubscribeAddresses(tx, organizationId, addresses, requestId)
  const pairs = topicId === undefined ? [] : [{ contactId, topicId }]
  const options = { source: 'link', own: true, addressOf, requestId } as const
  const ended = await subscriptions.unsubscribe(tx, organizationId, pairs, options)

  const contactIds = [...suppressed, ...ended].map((each) => each.contactId)
  const present = await contactStatuses.lock(tx, organizationId, contactId)
  if (contactIds.length > 0 && mail) await mailUnsubscribes.markMail(tx, organizationId, mail)
  return {
    contactIds,
    isAddressChanged: (present?.email ?? null) !== email,
    isAddressKnown: resolved !== null,
  }
}

/**
 * Unsubscribes the contact whose address is known by its hash alone: for links whose contact is
 * gone and whose mail is no longer stored. It reads every contact after the entry was committed,
 * since a contact that is created later finds the entry itself.
 */
async function unsubscribeByHash(
  sql: Sql,
  organizationId: Uuid,
  { addressHash: hash, mailed, addressOf, requestId }: UnsubscribeRequest,
): Promise<Uuid[]> {
  const entryId = await suppressions.findId(sql, organizationId, mailed)
  // The entry was removed meanwhile. Its remover vouches for the address.
  if (entryId === undefined) return []
  const email = await searchAddress(sql, organizationId, { entryId, hash })
  if (email === undefined) return []
  const suppressed = await transact(sql, (tx) =>
    unsubscribeAddresses(tx, organizationId, [addressOf(email)], requestId),
  )
  return suppressed.map(({ contactId }) => contactId)
}

const unsubscribeAddresses = (
  tx: Transaction,
  organizationId: Uuid,
  addresses: readonly Addressed[],
  requestId: string | undefined,
) =>
  suppress(
    tx,
    organizationId,
    addresses.map((address) => ({ address, status: 'unsubscribed', source: 'link', own: true })),
    requestId,
  )

const same = (a: Addressed, b: Addressed): boolean => a.keys[0].key === b.keys[0].key

async function resolveAddress(
  sql: Executor,
  organizationId: Uuid,
  request: UnsubscribeRequest,
): Promise<Addressed | null> {
  const { mailed, addressOf } = request
  const listed = await suppressions.findEmail(sql, organizationId, mailed)
  if (listed !== undefined) return addressOf(listed)
  const recipient = await mailUnsubscribes.findRecipient(sql, organizationId, request)
  if (recipient === null) return null
  const address = addressOf(recipient)
  return same(address, mailed) ? address : null
}
