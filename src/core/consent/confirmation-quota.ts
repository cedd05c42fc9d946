import type { Addressed } from '../../domain/address.ts'
import { MOST_CONFIRMATION_MAILS_A_DAY } from '../../domain/consent/subscription.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as confirmationMails from '../../store/consent/confirmation-mails.ts'
import type { Transaction } from '../../store/db/sql.ts'

export interface MailCounts {
  get: (address: Addressed) => number
  add: (address: Addressed) => void
  /** Counts one more email and returns true if the limit allows it. */
  tryAdd: (address: Addressed) => boolean
}

/**
 * Counts the emails to an address under each of its keys, so that a new HMAC key does not reset the
 * count.
 */
export async function countToday(
  tx: Transaction,
  organizationId: Uuid,
  addresses: readonly Addressed[],
): Promise<MailCounts> {
  const keys = addresses.flatMap((address) => address.keys.map(({ key }) => key))
  const rows = keys.length === 0 ? [] : await confirmationMails.countToday(tx, organizationId, keys)
  const counts = new Map(rows.map(({ key, mails }) => [key, mails]))
  const get = ({ keys }: Addressed): number =>
    keys.reduce((sum, { key }) => sum + (counts.get(key) ?? 0), 0)
  const add = ({ keys }: Addressed): void => {
    counts.set(keys[0].key, (counts.get(keys[0].key) ?? 0) + 1)
  }
  const tryAdd = (address: Addressed): boolean => {
    if (get(address) >= MOST_CONFIRMATION_MAILS_A_DAY) return false
    add(address)
    return true
  }
  return { get, add, tryAdd }
}
