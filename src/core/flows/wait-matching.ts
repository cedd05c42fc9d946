import { breather } from '../../runtime/breather.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as waits from '../../store/flows/waits.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { loadFilters } from './event-filters.ts'
import { exitOnEvents } from './exits.ts'

/** An event of a contact, as it is being stored. */
export interface ArrivedEvent {
  contactId: Uuid
  /** Id of the stored event. */
  id: Uuid
  name: string
  properties: Record<string, unknown>
  /** Time given by its sender, ISO 8601. */
  occurredAt: string
  /** Time of Postgres' clock when the contact's row was locked, ISO 8601. */
  receivedAt: string
}

/**
 * Gives events to the executions that wait for them, and ends those whose flows say that such an
 * event ends them (`exitOn`), in the transaction that stores the events. Their contacts' rows are
 * locked by the caller. Returns how many executions go on because of each event, in their order.
 *
 * Several executions may go on because of one event; each is matched by the first of the set that
 * fits. Calling it again with the same events does nothing more, except to executions that were
 * started meanwhile: a caller that starts some in the same transaction calls it again, so that an
 * event ends what an earlier one of the set has started.
 */
export async function matchEvents(
  tx: Transaction,
  organizationId: Uuid,
  events: readonly ArrivedEvent[],
): Promise<number[]> {
  if (events.length === 0) return []
  const byContact = groupByContact(events)
  await exitOnEvents(tx, organizationId, byContact)
  const open = await waits.lockForEvents(tx, organizationId, events)
  if (open.length === 0) return events.map(() => 0)
  const fits = await loadFilters(tx, organizationId, open)
  const breathe = breather()
  const matched: { wait: waits.EventWait; event: ArrivedEvent }[] = []
  for (const wait of open) {
    for (const event of byContact.get(wait.contactId) ?? []) {
      if (event.name !== wait.eventName || event.receivedAt >= wait.expiresAt) continue
      if (event.occurredAt < wait.occurredSince) continue
      await breathe()
      if (!fits(wait, event.properties)) continue
      matched.push({ wait, event })
      break
    }
  }
  await waits.match(
    tx,
    organizationId,
    matched.map(({ wait, event }) => ({ wait, eventId: event.id })),
  )
  await outbox.putAll(
    tx,
    organizationId,
    matched.map(({ wait: { executionId } }) => ({
      kind: 'wake_execution',
      payload: { executionId },
    })),
    undefined,
  )
  const counts = new Map<Uuid, number>()
  for (const { event } of matched) counts.set(event.id, (counts.get(event.id) ?? 0) + 1)
  return events.map(({ id }) => counts.get(id) ?? 0)
}

/** Events of each contact, in their order. */
function groupByContact(events: readonly ArrivedEvent[]): Map<Uuid, ArrivedEvent[]> {
  const grouped = new Map<Uuid, ArrivedEvent[]>()
  for (const event of events) {
    const group = grouped.get(event.contactId)
    if (group) group.push(event)
    else grouped.set(event.contactId, [event])
  }
  return grouped
}
