import type { Addressed } from '../domain/address.ts'
import type { Uuid } from '../ids.ts'
import * as auditEvents from './audit-events.ts'
import * as consentEvents from './consent-events.ts'
import type { Transaction } from './sql.ts'
import * as suppressions from './suppressions.ts'

interface TakingBack {
  contactId: Uuid
  /** Of the contact; locked for `update`, and so is the contact. */
  address: Addressed
  /** By what the person said so. */
  source: 'confirmation' | 'preferences'
  requestId?: string | undefined
  /** ISO 8601. */
  at: string
}

/**
 * Who had left all mail and asks for mail by their own hand is no longer somebody who left: the
 * contact is `active` again, its entry goes, and events of before say nothing more. Anything worse
 * than `unsubscribed` stays.
 */
export async function takeBack(
  tx: Transaction,
  organizationId: Uuid,
  { contactId, address, source, requestId, at }: TakingBack,
): Promise<void> {
  const listed = await suppressions.lookUp(tx, organizationId, [address])
  const reason = listed(address)
  if (reason !== undefined && reason !== 'unsubscribed') return
  const { count } = await tx`
    update contacts
    set email_status = 'active',
      email_status_changed_at = clock_timestamp(),
      resubscribed_at = clock_timestamp(),
      updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and id = ${contactId}
      and email_status = 'unsubscribed'`
  if (count === 0) return
  await suppressions.remove(tx, organizationId, [address])
  const taken = { contactId, kind: 'resubscribed', source } as const
  await consentEvents.record(tx, organizationId, [taken], requestId)
  await auditEvents.record(tx, {
    organizationId,
    actor: { kind: 'unknown' },
    action: 'contact.resubscribed',
    subject: { kind: 'contact', id: contactId },
    requestId,
    detail: { source },
    at,
  })
}
