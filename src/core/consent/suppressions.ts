import type { Addressed } from '../../domain/address.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Suppression } from '../../schemas/consent/suppression.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { suppress } from './email-status.ts'

export async function suppressAddress(
  tx: Transaction,
  organizationId: Uuid,
  { address, reason }: { address: Addressed; reason: suppressions.Reason },
  requestId: string,
): Promise<{ entry: Suppression; isNew: boolean }> {
  await suppressions.lock(tx, organizationId, [address], 'update')
  const existingEntry = await suppressions.find(tx, organizationId, address)
  await suppress(tx, organizationId, [{ address, status: reason, source: 'api' }], requestId)
  const entry = await suppressions.find(tx, organizationId, address)
  if (!entry) throw new Error('an address that was put on the list is not on it')
  return { entry, isNew: existingEntry === undefined }
}

/**
 * Removes an address from the list and returns its entry. Undefined: there is none. The contact
 * does not change. `check` throws if the caller may not remove this entry.
 */
export async function removeSuppression(
  tx: Transaction,
  organizationId: Uuid,
  address: Addressed,
  check: (entry: Suppression) => void,
): Promise<Suppression | undefined> {
  await suppressions.lock(tx, organizationId, [address], 'update')
  const entry = await suppressions.find(tx, organizationId, address)
  if (!entry) return undefined
  check(entry)
  await suppressions.remove(tx, organizationId, [address])
  return entry
}
