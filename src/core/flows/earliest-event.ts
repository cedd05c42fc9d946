import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as executionEvents from '../../store/flows/execution-events.ts'
import type { EventCursor, ReceivedEvent, WantedEvent } from '../../store/flows/execution-events.ts'
import * as executionSteps from '../../store/flows/steps.ts'

/** Events of one look, and of all looks of one wait: of more the first are asked. */
const PAGE = 100
const MOST_LOOKED_AT = 5_000

/** Before every event of the same moment. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/** The start of an execution: an event, or only a moment. */
export interface Beginning {
  eventId: Uuid | null
  createdAt: string
}

/**
 * The earliest event of a contact that fits, received since `since` and taken by no other wait of
 * the execution. The caller has locked the contact's row and holds events back (`holdEvents`): what
 * comes later finds the wait.
 */
export async function earliestEvent(
  tx: Transaction,
  organizationId: Uuid,
  { since, ...wanted }: WantedEvent & { since: EventCursor },
  fits: (event: ReceivedEvent) => boolean,
): Promise<ReceivedEvent | undefined> {
  let after = since
  for (let seen = 0; seen < MOST_LOOKED_AT; seen += PAGE) {
    const limited = { after, limit: PAGE }
    const page = await executionEvents.listCandidates(tx, organizationId, wanted, limited)
    const found = page.find((event) => fits(event))
    const last = page.at(-1)
    if (found || !last || page.length < PAGE) return found
    after = last
  }
  return undefined
}

/**
 * From when on events count for a wait: since the execution came to the last step before it that
 * rests, or since the event that this step took; where none rested, since the execution began.
 *
 * Steps that do not rest take no time, however long a worker needs for them: the execution came to
 * a rest when the rest before it ended, or when it began. So nothing is missed on the way.
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

/** After an event; after a moment, where there was none or it is not kept any more. */
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
