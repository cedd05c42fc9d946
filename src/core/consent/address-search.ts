import type { Uuid } from '../../runtime/ids.ts'
import * as contactStatuses from '../../store/consent/contact-statuses.ts'
import { createGate } from '../../store/db/gate.ts'
import type { Sql } from '../../store/db/sql.ts'

const LOOKED_AT_ONCE = 20_000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'
/**
 * Concurrent searches of a process. A million contacts take seconds, and others need the
 * connections.
 */
const MOST_SEARCHES = 1
const MOST_REMEMBERED = 10_000

const searches = createGate(MOST_SEARCHES)
const inVain = new Set<Uuid>()

interface AddressSearch {
  entryId: Uuid
  /** First 16 bytes of SHA-256(organization id, address). */
  hash: Buffer
}

/**
 * Searches all contacts for an address of which only the hash is known. Undefined: nobody has it. A
 * search that found nobody is not repeated: a contact that is created after the entry finds the
 * entry itself, and a mail provider may post a link as often as it likes.
 */
export async function searchAddress(
  sql: Sql,
  organizationId: Uuid,
  { entryId, hash }: AddressSearch,
): Promise<string | undefined> {
  await searches.enter()
  try {
    if (inVain.has(entryId)) return undefined
    const email = await findEmailByHash(sql, organizationId, hash)
    if (email === undefined) remember(entryId)
    return email
  } finally {
    searches.leave()
  }
}

/** Searches page by page, since a million contacts take longer than a statement may. */
async function findEmailByHash(
  sql: Sql,
  organizationId: Uuid,
  hash: Buffer,
): Promise<string | undefined> {
  let after: Uuid | null = BEFORE_ALL
  while (after !== null) {
    const search = { hash, after, limit: LOOKED_AT_ONCE }
    const page: { email: string | null; last: Uuid | null } = await contactStatuses.findEmailByHash(
      sql,
      organizationId,
      search,
    )
    if (page.email !== null) return page.email
    after = page.last
  }
  return undefined
}

function remember(entryId: Uuid): void {
  const [oldest] = inVain
  if (inVain.size >= MOST_REMEMBERED && oldest !== undefined) inVain.delete(oldest)
  inVain.add(entryId)
}
