import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as executions from '../../store/flows/executions.ts'
import * as running from '../../store/flows/running.ts'

/**
 * Cancels the executions that a subscription to a topic started, in the transaction that ends the
 * subscription. The caller has locked the contacts.
 */
export async function exitOnUnsubscribe(
  tx: Transaction,
  organizationId: Uuid,
  unsubscribed: readonly running.Unsubscribed[],
  requestId: string | undefined,
): Promise<void> {
  if (unsubscribed.length === 0) return
  const ids = await running.listOfTopics(tx, organizationId, unsubscribed)
  const ending = { status: 'cancelled', reason: 'topic_unsubscribed' } as const
  await executions.end(tx, organizationId, ids, ending, { requestId })
}

/**
 * Cancels all executions of contacts, in the transaction that deletes them. The caller has locked
 * the contacts, so that none is started meanwhile.
 */
export async function exitOnDelete(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
  requestId: string | undefined,
): Promise<void> {
  const ids = await running.listOfContacts(tx, organizationId, contactIds)
  const ending = { status: 'cancelled', reason: 'contact_deleted' } as const
  await executions.end(tx, organizationId, ids, ending, { requestId })
}

/**
 * Cancels the executions whose flow ends with such an event (`exitOn`), in the version that each
 * execution runs. The event that started an execution does not end it, nor does an event that was
 * earlier in the same set or happened before. `events`: for each contact, in order.
 */
export async function exitOnEvents(
  tx: Transaction,
  organizationId: Uuid,
  events: ReadonlyMap<Uuid, readonly Exiting[]>,
): Promise<void> {
  const exitable = await running.listWithExitEvents(tx, organizationId, [...events.keys()])
  const ids = exitable
    .filter(({ contactId, eventId, occurredAt: beganAt, exitEvents }) =>
      after(events.get(contactId) ?? [], eventId).some(
        ({ name, occurredAt }) => occurredAt >= beganAt && exitEvents.includes(name),
      ),
    )
    .map(({ id }) => id)
  await executions.end(tx, organizationId, ids, { status: 'cancelled', reason: 'exit_on' })
}

interface Exiting {
  id: Uuid
  name: string
  occurredAt: string
}

/** Returns the events after the one that started an execution, or all if it is not among them. */
const after = (events: readonly Exiting[], eventId: Uuid | null): readonly Exiting[] =>
  events.slice(events.findIndex(({ id }) => id === eventId) + 1)
