/**
 * Pages of an audience for readers of all its contacts. A condition that counts events is evaluated
 * for a stretch of contacts at a time: otherwise each page would count the events of all contacts
 * again.
 */
import type { Audience } from '../../domain/audience/audience.ts'
import { filtersOf } from '../../domain/audience/condition-check.ts'
import { countsMany } from '../../domain/audience/condition-events.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Contact } from '../../schemas/contacts/contact.ts'
import * as audiences from '../../store/audience/audience.ts'
import type { Executor } from '../../store/db/sql.ts'

export interface Page<T> {
  rows: T[]
  /** The next page begins after this contact. Undefined: this is the last page. */
  next: Uuid | undefined
}

const STRETCH = 5

export async function pageOfContacts(
  sql: Executor,
  organizationId: Uuid,
  audience: Audience,
  { before, limit }: { before: Uuid | undefined; limit: number },
): Promise<Page<Contact>> {
  const range = { before }
  const from = countsEvents(audience)
    ? await audiences.endOfStretch(sql, organizationId, range, {
        size: limit * STRETCH,
        isNewestFirst: true,
      })
    : undefined
  const rows = await audiences.list(sql, organizationId, audience, { ...range, from, limit })
  return { rows, next: rows.length < limit ? from : rows.at(-1)?.id }
}

export async function pageOfIds(
  sql: Executor,
  organizationId: Uuid,
  audience: Audience,
  { after, limit }: { after: Uuid | null; limit: number },
): Promise<Page<{ id: Uuid }>> {
  const range = { after }
  const to = countsEvents(audience)
    ? await audiences.endOfStretch(sql, organizationId, range, {
        size: limit * STRETCH,
        isNewestFirst: false,
      })
    : undefined
  const rows = await audiences.listIds(sql, organizationId, audience, { ...range, to, limit })
  return { rows, next: rows.length < limit ? to : rows.at(-1)?.id }
}

const countsEvents = (audience: Audience): boolean =>
  audience.some((each) => each.type === 'condition' && filtersOf(each.condition).some(countsMany))
