import type { Uuid } from '../../runtime/ids.ts'
import * as confirmations from '../../store/consent/confirmations.ts'
import type { Awaited, ConfirmationSet } from '../../store/consent/confirmations.ts'
import * as contactStatuses from '../../store/consent/contact-statuses.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { exitOnUnsubscribe } from '../flows/exits.ts'
import { ofTopics, recordConsent } from './consent-events.ts'

/**
 * Locks up to `limit` contacts and returns their awaited confirmations with fewer than `mail`
 * emails. Until the transaction ends nobody confirms, unsubscribes or changes an address. `more`:
 * there may be others, even if none of these is still awaited.
 */
export async function lockUnmailed(
  tx: Transaction,
  organizationId: Uuid,
  set: ConfirmationSet,
  { mail, limit }: { mail: number; limit: number },
): Promise<{ awaited: Awaited[]; more: boolean }> {
  const mailsBelow = mail
  const page = { mailsBelow, limit }
  const { contactIds, more } = await lockContacts(tx, organizationId, set, page)
  if (contactIds.length === 0) return { awaited: [], more }
  const selection = { contactIds, mailsBelow }
  return { awaited: await confirmations.list(tx, organizationId, set, selection), more }
}

/**
 * Expires the awaited confirmations of up to `limit` contacts: they become `unsubscribed`, and the
 * change is recorded. `more`: there may be others.
 */
export async function expire(
  tx: Transaction,
  organizationId: Uuid,
  set: ConfirmationSet,
  limit: number,
): Promise<{ more: boolean }> {
  const { contactIds, more } = await lockContacts(tx, organizationId, set, { limit })
  if (contactIds.length === 0) return { more }
  const expired = await confirmations.expire(tx, organizationId, set, contactIds)
  // A subscriber who changed their address and did not confirm the new one is no longer subscribed,
  // and everything that the subscription started ends.
  await exitOnUnsubscribe(tx, organizationId, expired, undefined)
  const events = ofTopics(expired, 'expired', 'expiry')
  await recordConsent(tx, organizationId, events, undefined)
  return { more }
}

/**
 * Locks the contacts of confirmations in the order of their ids. Callers read the subscriptions
 * again in a separate statement, which sees the state under the lock. `more` depends on what was
 * found, not on what is left: somebody may unsubscribe while we wait for their lock.
 */
async function lockContacts(
  tx: Transaction,
  organizationId: Uuid,
  set: ConfirmationSet,
  page: { mailsBelow?: number; limit: number },
): Promise<{ contactIds: Uuid[]; more: boolean }> {
  const foundContacts = await confirmations.listContacts(tx, organizationId, set, page)
  if (foundContacts.length === 0) return { contactIds: [], more: false }
  const contactIds = await contactStatuses.lockAll(tx, organizationId, foundContacts)
  return { contactIds, more: foundContacts.length >= page.limit }
}
