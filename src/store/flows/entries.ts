import type { Settings } from '../../domain/flows/flow.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../db/sql.ts'

export interface EnteredFlow {
  id: Uuid
  version: number
  settings: Pick<Settings, 'allowReentry' | 'reentryDelaySeconds' | 'contactCooldownSeconds'>
}

/**
 * Records that contacts enter a flow, each as often as it is listed, and returns those that may.
 * One conditional upsert: a row is inserted for a contact that was never in the flow, updated if
 * the flow's settings admit the contact again, and otherwise left alone.
 */
export async function enter(
  tx: Transaction,
  organizationId: Uuid,
  { id, settings }: EnteredFlow,
  contactIds: readonly Uuid[],
): Promise<Set<Uuid>> {
  const { allowReentry, reentryDelaySeconds: delay, contactCooldownSeconds: cooldown } = settings
  const rows = await tx<{ contactId: Uuid }[]>`
    insert into flow_entries as e (organization_id, flow_id, contact_id, entries, live,
      last_started_at)
    select ${organizationId}, ${id}, contact_id, count(*), count(*), clock_timestamp()
    from unnest(${[...contactIds]}::uuid[]) as start (contact_id)
    group by contact_id
    order by contact_id
    on conflict (organization_id, flow_id, contact_id) do update
    set entries = e.entries + excluded.entries,
      live = e.live + excluded.live,
      last_started_at = greatest(e.last_started_at, excluded.last_started_at)
    where ${allowReentry}
      and (${delay} = 0
        or e.last_started_at <= clock_timestamp() - ${delay} * interval '1 second')
      and (${cooldown} = 0
        or e.live = 0
          and (e.last_ended_at is null
            or e.last_ended_at <= clock_timestamp() - ${cooldown} * interval '1 second'))
    returning contact_id`
  return new Set(rows.map(({ contactId }) => contactId))
}

/**
 * Reverts the entries of executions that were dropped before they began, since a flow without
 * re-entry must admit these contacts another time. Rows of entries are changed in the order of
 * contacts, as everywhere.
 */
export async function revert(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  executionIds: readonly Uuid[],
): Promise<void> {
  const entries = tx`
    select contact_id, count(*) as times
    from executions
    where organization_id = ${organizationId} and id = any(${[...executionIds]}::uuid[])
    group by contact_id`
  await tx`
    delete from flow_entries e
    using (${entries}) dropped
    where e.organization_id = ${organizationId} and e.flow_id = ${flowId}
      and e.contact_id = dropped.contact_id and e.entries <= dropped.times`
  await tx`
    update flow_entries e
    set entries = e.entries - dropped.times,
      last_started_at = coalesce(true_ones.started_at, e.last_started_at),
      last_ended_at = true_ones.ended_at
    from (${entries}) dropped
    cross join lateral (
      select max(x.created_at) as started_at, max(x.finished_at) as ended_at
      from executions x
      where x.organization_id = ${organizationId} and x.contact_id = dropped.contact_id
        and x.flow_id = ${flowId} and x.reason is distinct from 'dropped'
    ) true_ones
    where e.organization_id = ${organizationId} and e.flow_id = ${flowId}
      and e.contact_id = dropped.contact_id`
}
