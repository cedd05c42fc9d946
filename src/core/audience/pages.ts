/**
 * Pages of an audience, for who goes through all of it. A condition that counts events is asked of
 * a stretch of contacts at a time: else each page would count the events of all contacts again.
 */
import type { Audience } from '../../domain/audience/audience.ts'
import { filtersOf } from '../../domain/audience/condition-check.ts'
import { countsMany } from '../../domain/audience/condition-events.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Contact } from '../../schemas/contacts/contact.ts'
import * as audiences from '../../store/audience/audience.ts'
import type { Executor } from '../../store/db/sql.ts'

export interface Page<T> {
  /** None, where nobody of a stretch is in the audience. */
  rows: T[]
  /** The contact at which the next page begins, not included; undefined: this is the last one. */
  next: Uuid | undefined
}

/** Contacts of a stretch, as a multiple of those of a page. */
const STRETCH = 5

/** A page of an audience's contacts, newest first, before one of them. */
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

/** A page of the ids of an audience's contacts, in their order, after one of them. */
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
