import { durationMs } from '../../src/domain/duration.ts'
import type { Uuid } from '../../src/ids.ts'
import { loadFilters } from '../../src/store/event-filters.ts'
import { holdEvents } from '../../src/store/events.ts'
import { earliestEvent, findEvent, type ReceivedEvent } from '../../src/store/execution-events.ts'
import type { Json, Transaction } from '../../src/store/sql.ts'
import * as waits from '../../src/store/wait-rows.ts'
import type { StepOutcome, StepRun, StoredStep } from './step.ts'

type Run = StepRun<'wait_for_event'>

/** Characters of properties, as JSON, that a step's result repeats; longer ones are left out. */
const LONGEST_REPEATED = 4_000

/**
 * Waits for an event of the contact: one that came since the execution entered the step before, or
 * the next one to come. The row in `waits` decides between the event and the end of time: whoever
 * brings an event that somebody may wait for, and whoever registers or ends a wait, hold the
 * contact's row.
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
    const wanted = {
      ...keyOf(run),
      startedBy: execution.eventId,
      contactId,
      name: eventName,
      since: run.previousEnteredAt,
      now: run.now,
    }
    await holdEvents(tx, organizationId)
    const event = await earliestEvent(tx, organizationId, wanted, ({ properties }) =>
      fits(filtered, properties),
    )
    const expiresAt = new Date(Date.parse(run.now) + durationMs(timeout)).toISOString()
    const match = event
      ? { matched: event.name, matchedEventId: event.id, matchedAt: run.now }
      : null
    const wait = { ...keyOf(run), contactId, since: run.previousEnteredAt, expiresAt }
    await waits.registerEvent(tx, organizationId, { ...wait, eventName, filter, match })
    return event ? came(event) : { kind: 'wait', status: 'waiting', until: expiresAt }
  },

  async resume(tx, run) {
    const { organizationId } = run.execution
    const wait = await waits.find(tx, organizationId, keyOf(run))
    if (!wait) return waitForEvent.enter(tx, run)
    if (wait.status === 'matched') return taken(tx, organizationId, wait)
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

async function taken(
  tx: Transaction,
  organizationId: Uuid,
  { matched, matchedEventId }: waits.Wait,
): Promise<StepOutcome> {
  const event =
    matchedEventId === null ? undefined : await findEvent(tx, organizationId, matchedEventId)
  // It may not be kept any more: its name says at least what came.
  return event
    ? came(event)
    : { kind: 'done', branch: 'yes', result: { eventId: matchedEventId, name: matched } }
}

function came({ id, name, properties, receivedAt }: ReceivedEvent): StepOutcome {
  const isRepeated = JSON.stringify(properties).length <= LONGEST_REPEATED
  const result = { eventId: id, name, receivedAt, ...(isRepeated ? { properties } : {}) } as Json
  return { kind: 'done', branch: 'yes', result }
}
