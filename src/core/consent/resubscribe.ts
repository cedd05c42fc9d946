import type { Addressed } from '../../domain/address.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as contactStatuses from '../../store/consent/contact-statuses.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { type Actor, recordAudit } from '../access/audit.ts'
import { recordConsent } from './consent-events.ts'

interface Resubscription {
  contactId: Uuid
  address: Addressed
  source: 'confirmation' | 'preferences'
  requestId?: string | undefined
  at: string
}

/**
 * Resubscribes a person who unsubscribed from all mail and now asks for it: the contact becomes
 * `active`, its suppression entry is removed, and earlier delivery events are ignored from now on.
 * A status worse than `unsubscribed` stays.
 */
export async function resubscribe(
  tx: Transaction,
  organizationId: Uuid,
  { contactId, address, source, requestId, at }: Resubscription,
): Promise<void> {
  const listed = await suppressions.lookUp(tx, organizationId, [address])
  const reason = listed(address)
  if (reason !== undefined && reason !== 'unsubscribed') return
  const isResubscribed = await contactStatuses.resubscribe(tx, organizationId, contactId)
  if (!isResubscribed) return
  await suppressions.remove(tx, organizationId, [address])
  const event = { contactId, kind: 'resubscribed', source } as const
  await recordConsent(tx, organizationId, [event], requestId)
  const actor: Actor = { identity: { kind: 'unknown' }, requestId, now: Date.parse(at) }
  await recordAudit(tx, organizationId, actor, {
    action: 'contact.resubscribed',
    subject: { kind: 'contact', id: contactId },
    detail: { source },
  })
}
