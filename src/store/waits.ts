import { breather } from '../breather.ts'
import type { Condition } from '../domain/condition.ts'
import type { Uuid } from '../ids.ts'
import { loadFilters } from './event-filters.ts'
import { eventsExit } from './execution-exits.ts'
import * as outbox from './outbox.ts'
import type { Transaction } from './sql.ts'

/** An event of a contact, as it is being stored. */
export interface ArrivedEvent {
  contactId: Uuid
  /** Of the stored event. */
  id: Uuid
  name: string
  properties: Record<string, unknown>
  /** By the clock of Postgres, read when the contact's row was locked; ISO. */
  receivedAt: string
}

/**
 * Gives events to the executions that wait for them, and ends those whose flows say that such an
 * event ends them (`exitOn`), in the transaction that stores the events. Their contacts' rows are
 * locked by the caller. Answers how many executions go on because of each event, in their order.
 *
 * Several executions may go on because of one event; each takes the first of the set that fits.
 * Calling it again with the same events does nothing more, except to executions that were started
 * meanwhile: whoever starts some in the same transaction calls it again, so that an event ends what
 * an earlier one of the set has started.
 */
export async function takeEvents(
  tx: Transaction,
  organizationId: Uuid,
  events: readonly ArrivedEvent[],
): Promise<number[]> {
  if (events.length === 0) return []
  const byContact = groupByContact(events)
  await eventsExit(tx, organizationId, byContact)
  const open = await lockOpen(tx, organizationId, events)
  if (open.length === 0) return events.map(() => 0)
  const fits = await loadFilters(tx, organizationId, open)
  const breathe = breather()
  const taken: { wait: (typeof open)[number]; event: (typeof events)[number] }[] = []
  for (const wait of open) {
    for (const event of byContact.get(wait.contactId) ?? []) {
      if (event.name !== wait.eventName || event.receivedAt >= wait.expiresAt) continue
      await breathe()
      if (!fits(wait, event.properties)) continue
      taken.push({ wait, event })
      break
    }
  }
  await match(tx, organizationId, taken)
  await outbox.putAll(
    tx,
    organizationId,
    taken.map(({ wait: { executionId } }) => ({
      kind: 'wake_execution',
      payload: { executionId },
    })),
    undefined,
  )
  const counts = new Map<Uuid, number>()
  for (const { event } of taken) counts.set(event.id, (counts.get(event.id) ?? 0) + 1)
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

interface Open {
  executionId: Uuid
  stepId: string
  visit: number
  contactId: Uuid
  eventName: string
  filter: Condition | null
  expiresAt: string
}

/**
 * Waits for events of these names by these contacts, locked in the order of their executions: a
 * cancellation holds its executions, not the contact. `offset 0` keeps each look by itself: a join
 * would read all waits of an organization whose table is young.
 */
const lockOpen = (tx: Transaction, organizationId: Uuid, events: readonly ArrivedEvent[]) => tx<
  Open[]
>`
  select held.*
  from (
    select wait.execution_id, wait.step_id, wait.visit
    from (
      select distinct contact_id, name
      from unnest(
        ${events.map(({ contactId }) => contactId)}::uuid[],
        ${events.map(({ name }) => name)}::text[]
      ) as event (contact_id, name)
    ) event
    cross join lateral (
      select execution_id, step_id, visit
      from waits
      where organization_id = ${organizationId} and contact_id = event.contact_id
        and event_name = event.name and status = 'waiting' and kind = 'event'
      offset 0
    ) wait
    order by wait.execution_id
  ) found
  cross join lateral (
    select execution_id, step_id, visit, contact_id, event_name, filter, expires_at
    from waits
    where organization_id = ${organizationId} and execution_id = found.execution_id
      and step_id = found.step_id and visit = found.visit and status = 'waiting'
    for update
  ) held`

/** `waiting → matched`; the waits are locked. */
async function match(
  tx: Transaction,
  organizationId: Uuid,
  taken: readonly { wait: Open; event: ArrivedEvent }[],
): Promise<void> {
  if (taken.length === 0) return
  const ids = taken.map(({ wait }) => wait.executionId)
  await tx`
    update waits w
    set status = 'matched', matched_event_id = taken.event_id, matched = w.event_name,
      matched_at = clock_timestamp()
    from unnest(
      ${ids}::uuid[],
      ${taken.map(({ wait }) => wait.stepId)}::text[],
      ${taken.map(({ wait }) => wait.visit)}::integer[],
      ${taken.map(({ event }) => event.id)}::uuid[]
    ) as taken (execution_id, step_id, visit, event_id)
    where w.organization_id = ${organizationId} and w.execution_id = any(${ids}::uuid[])
      and w.execution_id = taken.execution_id and w.step_id = taken.step_id
      and w.visit = taken.visit and w.status = 'waiting'`
}
