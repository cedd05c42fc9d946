import { bucketStart, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export interface ReceivedEvent {
  id: Uuid
  name: string
  properties: Record<string, unknown>
  receivedAt: string
}

/**
 * Returns the event of `event.properties.<path>` in an execution: the last one that matched a wait,
 * otherwise the one that started it. Undefined: there is none, or it is no longer stored.
 */
export async function latestEvent(
  sql: Executor,
  organizationId: Uuid,
  executionId: Uuid,
): Promise<ReceivedEvent | undefined> {
  const [latest] = await sql<{ id: Uuid | null }[]>`
    select coalesce(
      (
        select matched_event_id
        from waits
        where organization_id = ${organizationId} and execution_id = ${executionId}
          and status = 'matched' and matched_event_id is not null
        order by matched_at desc
        limit 1
      ),
      (
        select event_id
        from executions
        where organization_id = ${organizationId} and id = ${executionId}
      )
    ) as id`
  return typeof latest?.id === 'string' ? findEvent(sql, organizationId, latest.id) : undefined
}

export async function findEvent(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<ReceivedEvent | undefined> {
  const [event] = await sql<ReceivedEvent[]>`
    select id, name, properties, received_at
    from events
    where organization_id = ${organizationId} and id = ${id}`
  return event
}

export interface WantedEvent {
  executionId: Uuid
  stepId: string
  visit: number
  contactId: Uuid
  name: string
  /** Time before which events do not count: the beginning of the execution. ISO 8601. */
  occurredSince: string
  /** Time of Postgres' clock, ISO 8601. */
  now: string
}

/**
 * Difference between an event's id and its arrival: the wait for its contact, and another clock.
 */
const MARGIN_MS = 600_000
const DAY_MS = 86_400_000
/** Age of events that resume nothing. */
const OLDEST = '72 hours'

/** Position in the events in the order of their arrival: after this event. */
export type EventCursor = Pick<ReceivedEvent, 'id' | 'receivedAt'>

/** Returns the cursor of an event. Undefined: it is no longer stored. */
export async function findCursor(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<EventCursor | undefined> {
  const [cursor] = await tx<EventCursor[]>`
    select id, received_at
    from events
    where organization_id = ${organizationId} and id = ${id}`
  return cursor
}

/**
 * Lists a page of the events that may match the wait, in the order of arrival, except those of
 * other visits. Events of an earlier try of this visit still belong to it.
 */
export const listCandidates = (
  tx: Transaction,
  organizationId: Uuid,
  { executionId, stepId, visit, contactId, name, occurredSince, now }: WantedEvent,
  { after, limit }: { after: EventCursor; limit: number },
) => tx<ReceivedEvent[]>`
  select id, name, properties, received_at
  from events
  where organization_id = ${organizationId} and contact_id = ${contactId} and name = ${name}
    and id >= ${bucketStart(Date.parse(after.receivedAt) - MARGIN_MS)}
    and id < ${bucketStart(Date.parse(now) + MARGIN_MS + DAY_MS)}
    and (received_at, id) > (${after.receivedAt}::timestamptz, ${after.id}::uuid)
    and occurred_at >= greatest(received_at - ${OLDEST}::interval, ${occurredSince}::timestamptz)
    and id not in (
      select matched_event_id
      from waits
      where organization_id = ${organizationId} and execution_id = ${executionId}
        and matched_event_id is not null and (step_id, visit) <> (${stepId}, ${visit})
    )
  order by received_at, id
  limit ${limit}`
