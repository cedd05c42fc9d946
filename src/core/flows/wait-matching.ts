import { breather } from '../../runtime/breather.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as waits from '../../store/flows/waits.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { loadFilters } from './event-filters.ts'
import { exitOnEvents } from './exits.ts'
import * as executionEvents from '../../store/flows/execution-events.ts'
import type { EventCursor, ReceivedEvent, WantedEvent } from '../../store/flows/execution-events.ts'
import * as executionSteps from '../../store/flows/steps.ts'

export interface ArrivedEvent {
  contactId: Uuid
  id: Uuid
  name: string
  properties: Record<string, unknown>
  /** Time of the event according to its sender, ISO 8601. */
  occurredAt: string
  /** Time of Postgres' clock when the contact's row was locked, ISO 8601. */
  receivedAt: string
}

/**
 * Gives events to the executions that wait for them, and ends executions whose flow ends with such
 * an event (`exitOn`), in the transaction that stores the events. The caller has locked the
 * contacts' rows. Returns the number of resumed executions for each event, in order.
 *
 * Several executions may resume because of one event. Each is matched by the first matching event
 * of the set. A repeated call changes only executions that were started meanwhile: a caller that
 * starts some in the same transaction calls this again, so that an event ends executions that an
 * earlier event of the set has started.
 */
export async function matchEvents(
  tx: Transaction,
  organizationId: Uuid,
  events: readonly ArrivedEvent[],
): Promise<number[]> {
  if (events.length === 0) return []
  const byContact = groupByContact(events)
  await exitOnEvents(tx, organizationId, byContact)
  const openWaits = await waits.lockForEvents(tx, organizationId, events)
  if (openWaits.length === 0) return events.map(() => 0)
  const fits = await loadFilters(tx, organizationId, openWaits)
  const breathe = breather()
  const matched: { wait: waits.EventWait; event: ArrivedEvent }[] = []
  for (const wait of openWaits) {
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

function groupByContact(events: readonly ArrivedEvent[]): Map<Uuid, ArrivedEvent[]> {
  const grouped = new Map<Uuid, ArrivedEvent[]>()
  for (const event of events) {
    const group = grouped.get(event.contactId)
    if (group) group.push(event)
    else grouped.set(event.contactId, [event])
  }
  return grouped
}

/** Events of one query, and of all queries of one wait. Further events are ignored. */
const PAGE = 100
const MOST_LOOKED_AT = 5_000

/** Id before all events of the same moment. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

export interface Beginning {
  eventId: Uuid | null
  createdAt: string
}

/**
 * Returns the earliest matching event of a contact, received since `since` and taken by no other
 * wait of the execution. The caller has locked the contact's row and holds events back
 * (`holdEvents`): a later event finds the wait.
 */
export async function earliestEvent(
  tx: Transaction,
  organizationId: Uuid,
  { since, ...wanted }: WantedEvent & { since: EventCursor },
  fits: (event: ReceivedEvent) => boolean,
): Promise<ReceivedEvent | undefined> {
  let after = since
  for (let seenCount = 0; seenCount < MOST_LOOKED_AT; seenCount += PAGE) {
    const limited = { after, limit: PAGE }
    const page = await executionEvents.listCandidates(tx, organizationId, wanted, limited)
    const fittingEvent = page.find((event) => fits(event))
    const last = page.at(-1)
    if (fittingEvent || !last || page.length < PAGE) return fittingEvent
    after = last
  }
  return undefined
}

/**
 * Returns the time from which events count for a wait: the execution's arrival at the last resting
 * step before it, or the event that this step took. If no step rested, the beginning of the
 * execution.
 *
 * Steps that do not rest take no time, however long a worker needs for them: the execution came to
 * a rest when the rest before it ended, or when it began. So no event is missed in between.
 */
export async function countsSince(
  tx: Transaction,
  organizationId: Uuid,
  visit: executionSteps.RestKey,
  beginning: Beginning,
): Promise<EventCursor> {
  const [last, previous] = await executionSteps.listRests(tx, organizationId, visit, 2)
  const began = () => cursorOf(tx, organizationId, beginning.eventId, beginning.createdAt)
  if (!last) return began()
  const { matchedEventId, matchedAt, enteredAt } = last
  if (matchedEventId !== null) {
    return cursorOf(tx, organizationId, matchedEventId, matchedAt ?? enteredAt)
  }
  const entered = previous ? await endOf(tx, organizationId, previous, enteredAt) : await began()
  // A delay that was ended early, by an operator's hand or a test's, ended when the next began.
  return entered.receivedAt <= enteredAt ? entered : { receivedAt: enteredAt, id: LOWEST_ID }
}

/** Time at which a rest ended, whenever the execution went on. */
const endOf = (
  tx: Transaction,
  organizationId: Uuid,
  { matchedEventId, matchedAt, dueAt }: executionSteps.Rest,
  nextEnteredAt: string,
): Promise<EventCursor> =>
  cursorOf(tx, organizationId, matchedEventId, matchedAt ?? dueAt ?? nextEnteredAt)

/**
 * Returns a cursor after an event, or after a moment if there was no event or it is no longer
 * stored.
 */
async function cursorOf(
  tx: Transaction,
  organizationId: Uuid,
  eventId: Uuid | null,
  at: string,
): Promise<EventCursor> {
  const cursor =
    eventId === null ? undefined : await executionEvents.findCursor(tx, organizationId, eventId)
  return cursor ?? { receivedAt: at, id: LOWEST_ID }
}
