import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../db/sql.ts'
import { live } from './executions.ts'

/*
 * Live executions of contacts, whose rows the caller has locked. `offset 0` keeps each look by
 * itself: a young table has no statistics, and a join would read all that runs in the organization.
 */

/** A contact that is neither subscribed to a topic nor asked to confirm. */
export interface Unsubscribed {
  contactId: Uuid
  topicId: Uuid
}

export async function listOfTopics(
  tx: Transaction,
  organizationId: Uuid,
  unsubscribed: readonly Unsubscribed[],
): Promise<Uuid[]> {
  const rows = await tx<{ id: Uuid }[]>`
    select execution.id
    from unnest(
      ${unsubscribed.map(({ contactId }) => contactId)}::uuid[],
      ${unsubscribed.map(({ topicId }) => topicId)}::uuid[]
    ) as unsubscribed (contact_id, topic_id)
    cross join lateral (
      select id
      from executions
      where organization_id = ${organizationId} and contact_id = unsubscribed.contact_id
        and topic_id = unsubscribed.topic_id and status in ${live(tx)}
      offset 0
    ) execution`
  return rows.map(({ id }) => id)
}

export async function listOfContacts(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<Uuid[]> {
  if (contactIds.length === 0) return []
  const rows = await tx<{ id: Uuid }[]>`
    select id
    from executions
    where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])
      and status in ${live(tx)}`
  return rows.map(({ id }) => id)
}

interface Exitable {
  id: Uuid
  contactId: Uuid
  eventId: Uuid | null
  /** Time of the start's cause, at the latest that of its writing. */
  occurredAt: string
  exitEvents: string[]
}

/** Lists executions whose flows end by events (`exitOn`), in the version that each runs. */
export const listWithExitEvents = (
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
) => tx<Exitable[]>`
  select execution.id, execution.contact_id, execution.event_id, execution.occurred_at,
    v.exit_events
  from unnest(${[...contactIds]}::uuid[]) as asked (contact_id)
  cross join lateral (
    select id, flow_id, version, contact_id, event_id,
      least(occurred_at, created_at) as occurred_at
    from executions
    where organization_id = ${organizationId} and contact_id = asked.contact_id
      and status in ${live(tx)}
    offset 0
  ) execution
  join flow_versions v on v.organization_id = ${organizationId}
    and v.flow_id = execution.flow_id and v.version = execution.version
  where v.exit_events <> '[]'`
