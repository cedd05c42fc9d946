import type { Uuid } from '../ids.ts'
import * as executions from './executions.ts'
import type { Transaction } from './sql.ts'

/** Somebody who is no longer subscribed to a topic, nor asked whether they want to be. */
export interface Departed {
  contactId: Uuid
  topicId: Uuid
}

/*
 * `offset 0` keeps each look by itself: a young table has no statistics, and a join would read all
 * that runs in the organization.
 */

/**
 * Cancels what the subscription to a topic started, in the transaction that ends the subscription.
 * Their contacts' rows are locked by the caller.
 */
export async function topicsLeft(
  tx: Transaction,
  organizationId: Uuid,
  departed: readonly Departed[],
  requestId: string | undefined,
): Promise<void> {
  if (departed.length === 0) return
  const started = await tx<{ id: Uuid }[]>`
    select execution.id
    from unnest(
      ${departed.map(({ contactId }) => contactId)}::uuid[],
      ${departed.map(({ topicId }) => topicId)}::uuid[]
    ) as departed (contact_id, topic_id)
    cross join lateral (
      select id
      from executions
      where organization_id = ${organizationId} and contact_id = departed.contact_id
        and topic_id = departed.topic_id and status in ${executions.live(tx)}
      offset 0
    ) execution`
  const ending = { status: 'cancelled', reason: 'topic_unsubscribed' } as const
  const ids = started.map(({ id }) => id)
  await executions.end(tx, organizationId, ids, ending, { requestId })
}

/**
 * Cancels all that runs for contacts, in the transaction that deletes them. Their rows are locked
 * by the caller, so that nothing is started for them meanwhile.
 */
export async function contactsDeleted(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
  requestId: string | undefined,
): Promise<void> {
  const ids = await executions.listLiveOfContacts(tx, organizationId, contactIds)
  const ending = { status: 'cancelled', reason: 'contact_deleted' } as const
  await executions.end(tx, organizationId, ids, ending, { requestId })
}

/**
 * Cancels the executions whose flows say that such an event ends them (`exitOn`): in the version
 * that each execution runs. An execution is not ended by the event that started it, nor by one that
 * came before that in the same set. `events`: of each contact, in their order.
 */
export async function eventsExit(
  tx: Transaction,
  organizationId: Uuid,
  events: ReadonlyMap<Uuid, readonly Exiting[]>,
): Promise<void> {
  const running = await tx<
    { id: Uuid; contactId: Uuid; eventId: Uuid | null; exitEvents: string[] }[]
  >`
    select execution.id, execution.contact_id, execution.event_id, v.exit_events
    from unnest(${[...events.keys()]}::uuid[]) as who (contact_id)
    cross join lateral (
      select id, flow_id, version, contact_id, event_id
      from executions
      where organization_id = ${organizationId} and contact_id = who.contact_id
        and status in ${executions.live(tx)}
      offset 0
    ) execution
    join flow_versions v on v.organization_id = ${organizationId}
      and v.flow_id = execution.flow_id and v.version = execution.version
    where v.exit_events <> '[]'`
  const ids = running
    .filter(({ contactId, eventId, exitEvents }) =>
      after(events.get(contactId) ?? [], eventId).some(({ name }) => exitEvents.includes(name)),
    )
    .map(({ id }) => id)
  await executions.end(tx, organizationId, ids, { status: 'cancelled', reason: 'exit_on' })
}

interface Exiting {
  id: Uuid
  name: string
}

/** Those after the event that started an execution; all, where it is not one of them. */
const after = (events: readonly Exiting[], eventId: Uuid | null): readonly Exiting[] =>
  events.slice(events.findIndex(({ id }) => id === eventId) + 1)
