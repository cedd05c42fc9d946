import { durationMs } from '../../../src/domain/flows/duration.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import { loadFilters } from '../../../src/core/flows/event-filters.ts'
import { countsSince, earliestEvent } from '../../../src/core/flows/wait-matching.ts'
import { holdEvents } from '../../../src/store/events/events.ts'
import { findEvent, type ReceivedEvent } from '../../../src/store/flows/execution-events.ts'
import type { Json, Transaction } from '../../../src/store/db/sql.ts'
import * as waits from '../../../src/store/flows/waits.ts'
import type { StepOutcome } from '../../../src/core/flows/moves.ts'
import type { StepRun, StoredStep } from './step.ts'

type Run = StepRun<'wait_for_event'>

/**
 * Characters of properties, as JSON, that a step's result repeats. Longer properties are left out.
 */
const LONGEST_REPEATED = 4_000

/**
 * Waits for an event of the contact: one that came since the execution last rested, or the next one
 * to come. The row in `waits` decides between the event and the timeout: a transaction
 * that stores an event that an execution may wait for, and one that registers or ends a wait, both
 * hold the contact's row.
 */
export const waitForEvent: StoredStep<'wait_for_event'> = {
  where: 'local',
  locksContact: true,

  async enter(tx, run) {
    const { execution, step } = run
    const { eventName, filter = null, timeout } = step.config
    const { organizationId, contactId } = execution
    const filtered = { contactId, filter }
    const fits = await loadFilters(tx, organizationId, [filtered])
    const since = await countsSince(tx, organizationId, keyOf(run), execution)
    const wantedEvent = {
      ...keyOf(run),
      contactId,
      name: eventName,
      since,
      occurredSince: execution.occurredAt,
      now: run.now,
    }
    await holdEvents(tx, organizationId)
    const event = await earliestEvent(tx, organizationId, wantedEvent, ({ properties }) =>
      fits(filtered, properties),
    )
    const expiresAt = new Date(Date.parse(run.now) + durationMs(timeout)).toISOString()
    const match = event
      ? { matched: event.name, matchedEventId: event.id, matchedAt: run.now }
      : null
    const wait = { ...keyOf(run), contactId, since: since.receivedAt, expiresAt }
    await waits.registerEvent(tx, organizationId, { ...wait, eventName, filter, match })
    return event ? matched(event) : { kind: 'wait', status: 'waiting', until: expiresAt }
  },

  async resume(tx, run) {
    const { organizationId } = run.execution
    const wait = await waits.find(tx, organizationId, keyOf(run))
    if (!wait) return waitForEvent.enter(tx, run)
    if (wait.status === 'matched') return matchedBy(tx, organizationId, wait)
    if (
      wait.status === 'waiting' &&
      !(await waits.timeOut(tx, organizationId, keyOf(run), run.now))
    ) {
      return { kind: 'wait', status: 'waiting', until: wait.expiresAt }
    }
    return { kind: 'done', branch: 'timeout' }
  },
}

const keyOf = ({ execution, step, visit }: Run): waits.WaitKey => ({
  executionId: execution.id,
  stepId: step.id,
  visit,
})

async function matchedBy(
  tx: Transaction,
  organizationId: Uuid,
  { matched: name, matchedEventId }: waits.Wait,
): Promise<StepOutcome> {
  const event =
    matchedEventId === null ? undefined : await findEvent(tx, organizationId, matchedEventId)
  // It may not be kept any more: its name says at least what came.
  return event
    ? matched(event)
    : { kind: 'done', branch: 'yes', result: { eventId: matchedEventId, name } }
}

function matched({ id, name, properties, receivedAt }: ReceivedEvent): StepOutcome {
  const isRepeated = JSON.stringify(properties).length <= LONGEST_REPEATED
  const result = { eventId: id, name, receivedAt, ...(isRepeated ? { properties } : {}) } as Json
  return { kind: 'done', branch: 'yes', result }
}
