import { addressed } from '../../keys/addresses.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Reason } from '../../store/consent/suppressions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import type { Keyring } from '../../keys/tokens.ts'
import { suppressEach } from './email-status.ts'

export interface BounceOrComplaint {
  organizationId: Uuid
  recipient: string
  status: Reason
  occurredAt: string
}

/**
 * Applies delivery events of any organizations to their suppression lists and to the contacts that
 * have the addresses by now. Locks the addresses, then the contacts.
 */
export const applyBouncesAndComplaints = (
  tx: Transaction,
  keyring: Keyring,
  events: readonly BounceOrComplaint[],
) =>
  suppressEach(
    tx,
    events.map(({ organizationId, recipient, status, occurredAt }) => ({
      organizationId,
      address: addressed(keyring, organizationId, recipient),
      status,
      source: 'event',
      occurredAt,
    })),
  )
