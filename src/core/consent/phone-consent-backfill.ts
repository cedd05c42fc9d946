import { addressed } from '../../keys/addresses.ts'
import type { Keyring } from '../../keys/tokens.ts'
import * as backfill from '../../store/consent/phone-consent-backfill.ts'
import { type Sql, transact } from '../../store/db/sql.ts'
import { applyPhoneEvents } from './phone-consent.ts'

const PAGE = 1_000

/**
 * Puts the numbers of the next contacts that opted out, or whose number is invalid, on the list of
 * numbers, as it was when the contact changed. Returns whether there is more to read. A page may be
 * read twice, and by two workers: the list keeps the greatest times.
 */
export async function backfillPhoneConsents(
  sql: Sql,
  keyring: Keyring,
  pageSize = PAGE,
): Promise<boolean> {
  const page = await backfill.readPage(sql, pageSize)
  if (!page) return false
  const events = page.contacts.map(({ organizationId, phone, reason, occurredAt }) => ({
    organizationId,
    address: addressed(keyring, organizationId, phone),
    kind: reason === 'opted_out' ? ('stop' as const) : ('invalid' as const),
    occurredAt: new Date(occurredAt).toISOString(),
    source: 'api' as const,
  }))
  await transact(sql, (tx) => applyPhoneEvents(tx, events))
  await backfill.recordPage(sql, page)
  return true
}
