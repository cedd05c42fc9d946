import type { Addressed } from '../../domain/address.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Reason } from '../../store/consent/suppressions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { suppress } from './email-status.ts'

/** A bounce, complaint or suppression that the provider reports for a mailed address. */
export interface BounceOrComplaint {
  recipient: string
  status: Reason
  occurredAt: string
}

/**
 * Applies delivery events to the suppression list and to the contacts that now have the addresses.
 * Locks the addresses, then the contacts.
 */
export const applyBouncesAndComplaints = (
  tx: Transaction,
  organizationId: Uuid,
  events: readonly BounceOrComplaint[],
  addressOf: (email: string) => Addressed,
) =>
  suppress(
    tx,
    organizationId,
    events.map(({ recipient, status, occurredAt }) => ({
      address: addressOf(recipient),
      status,
      source: 'event',
      occurredAt,
    })),
  )
