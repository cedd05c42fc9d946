import type { Condition } from '../../domain/audience/condition.ts'
import { filtersOf } from '../../domain/audience/condition-check.ts'
import { evaluate } from '../../domain/audience/condition-eval.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as facts from '../../store/audience/facts.ts'
import type { Transaction } from '../../store/db/sql.ts'

/** A filter of the events of one contact. Null: every event matches. */
export interface Filtered {
  contactId: Uuid
  filter: Condition | null
}

/**
 * Returns whether an event with these properties matches a filter, for one of the loaded contacts.
 */
export type Fits = (filtered: Filtered, properties: Record<string, unknown>) => boolean

/**
 * Loads the current data of contacts if a filter reads more than the event itself. A deleted
 * contact matches no such filter.
 */
export async function loadFilters(
  tx: Transaction,
  organizationId: Uuid,
  filtered: Iterable<Filtered>,
): Promise<Fits> {
  const asksByFilter = new Map<Condition, boolean>()
  const asks = (filter: Condition): boolean => {
    const answer = asksByFilter.get(filter) ?? asksAboutContact(filter)
    asksByFilter.set(filter, answer)
    return answer
  }
  const asking = new Set<Uuid>()
  for (const { contactId, filter } of filtered) {
    if (filter !== null && asks(filter)) asking.add(contactId)
  }
  const contacts = await facts.contacts(tx, organizationId, [...asking])
  const now = new Date().toISOString()
  return ({ contactId, filter }, properties) => {
    if (filter === null) return true
    const contact = contacts.get(contactId)
    if (!contact && asks(filter)) return false
    const subject = contact ?? { id: contactId, properties: {} }
    return evaluate(filter, { contact: subject, event: properties, now })
  }
}

const asksAboutContact = (filter: Condition): boolean =>
  filtersOf(filter).some(({ field }) => !field.startsWith('event.properties.'))
