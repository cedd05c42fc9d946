import type { Addressed } from '../../domain/address.ts'
import type { PhoneReason } from '../../domain/consent/sms-status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Suppression } from '../../schemas/consent/suppression.ts'
import * as phoneConsents from '../../store/consent/phone-consents.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { suppress } from './email-status.ts'
import * as phoneConsent from './phone-consent.ts'

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

/** Puts a phone number on the list, and gives its contact the status. It never gets better. */
export async function suppressPhone(
  tx: Transaction,
  organizationId: Uuid,
  { address, reason }: { address: Addressed; reason: PhoneReason },
): Promise<{ entry: Suppression; isNew: boolean }> {
  await suppressions.lock(tx, organizationId, [address], 'update')
  const existingEntry = await phoneConsents.find(tx, organizationId, address)
  await phoneConsent.worsen(tx, organizationId, address, reason)
  const entry = await phoneConsents.find(tx, organizationId, address)
  if (!entry) throw new Error('a number that was put on the list is not on it')
  return { entry, isNew: existingEntry === undefined }
}

/** Removes a phone number from the list, like `removeSuppression`. */
export async function removePhone(
  tx: Transaction,
  organizationId: Uuid,
  address: Addressed,
  check: (entry: Suppression) => void,
): Promise<Suppression | undefined> {
  await suppressions.lock(tx, organizationId, [address], 'update')
  const entry = await phoneConsents.find(tx, organizationId, address)
  if (!entry) return undefined
  check(entry)
  await phoneConsents.remove(tx, organizationId, address)
  return entry
}
