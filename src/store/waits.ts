import type { Uuid } from '../ids.ts'
import type { Transaction } from './sql.ts'

/** An event of a contact, as it is being stored. */
export interface ArrivedEvent {
  contactId: Uuid
  /** Of the stored event. */
  id: Uuid
  name: string
  properties: Record<string, unknown>
  receivedAt: string
}

/**
 * Gives events to the executions that wait for them, and ends those whose flows say that such an
 * event ends them (`exitOn`), in the transaction that stores the events. Their contacts' rows are
 * locked by the caller. Answers how many executions go on because of each event, in the order given.
 */
export async function takeEvents(
  _tx: Transaction,
  _organizationId: Uuid,
  events: readonly ArrivedEvent[],
): Promise<number[]> {
  return events.map(() => 0)
}
