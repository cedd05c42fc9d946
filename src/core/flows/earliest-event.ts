import type { Uuid } from '../../ids.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as executionEvents from '../../store/flows/execution-events.ts'
import type { ReceivedEvent, WantedEvent } from '../../store/flows/execution-events.ts'

/** Events of one look, and of all looks of one wait: of more the first are asked. */
const PAGE = 100
const MOST_LOOKED_AT = 5_000

/** Before every event of the same moment. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * The earliest event of a contact that fits, received since the execution entered the step before
 * its wait and not matched by another wait. What counts for the first step begins with the event
 * that started the execution: others that came in one set with it, after it, count. The caller has
 * locked the contact's row and holds events back (`holdEvents`): what comes later finds the wait.
 */
export async function earliestEvent(
  tx: Transaction,
  organizationId: Uuid,
  wanted: WantedEvent,
  fits: (event: ReceivedEvent) => boolean,
): Promise<ReceivedEvent | undefined> {
  const started = await executionEvents.findStart(tx, organizationId, wanted)
  const since = started?.isFirst ? started.receivedAt : wanted.since
  const asked = { ...wanted, since }
  let after: executionEvents.EventCursor = started ?? { receivedAt: since, id: LOWEST_ID }
  for (let seen = 0; seen < MOST_LOOKED_AT; seen += PAGE) {
    const limited = { after, limit: PAGE }
    const page = await executionEvents.listCandidates(tx, organizationId, asked, limited)
    const found = page.find((event) => fits(event))
    const last = page.at(-1)
    if (found || !last || page.length < PAGE) return found
    after = last
  }
  return undefined
}
