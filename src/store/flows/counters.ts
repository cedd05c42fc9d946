import type { FinalStatus } from '../../domain/flows/execution.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Transaction } from '../db/sql.ts'

type Counter = 'started' | 'completed' | 'failed' | 'cancelled' | 'dropped'

export interface Change {
  flowId: Uuid
  counter: Counter
  by: number
}

/**
 * Adds to counters, in the transaction that changes what they count. It uses a row that no other
 * transaction holds, or inserts one, whose slot Postgres numbers: a transaction that changes the
 * counters of several flows, in whatever order, never waits. With slots drawn at random two
 * transactions met at one, and the second waited for the end of the first.
 */
export async function bump(
  tx: Transaction,
  organizationId: Uuid,
  changes: readonly Change[],
  entries?: Part,
): Promise<void> {
  const sums = new Map<Uuid, Record<Counter, number>>()
  for (const { flowId, counter, by } of changes) {
    const sum = sums.get(flowId) ?? {
      started: 0,
      completed: 0,
      failed: 0,
      cancelled: 0,
      dropped: 0,
    }
    sum[counter] += by
    sums.set(flowId, sum)
  }
  const rows = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (rows.length === 0) return
  const column = (counter: Counter) => rows.map(([, sum]) => sum[counter])
  await tx`
    with ${entries ? tx`entries as (${entries}),` : tx``} change as (
      select *
      from unnest(
        ${rows.map(([flowId]) => flowId)}::uuid[],
        ${column('started')}::bigint[],
        ${column('completed')}::bigint[],
        ${column('failed')}::bigint[],
        ${column('cancelled')}::bigint[],
        ${column('dropped')}::bigint[]
      ) as change (flow_id, started, completed, failed, cancelled, dropped)
    ), target as materialized (
      select change.*, free.slot
      from change
      left join lateral (
        select slot
        from flow_counters
        where organization_id = ${organizationId} and flow_id = change.flow_id
        order by slot
        limit 1
        for update skip locked
      ) free on true
    ), moved as (
      update flow_counters c
      set started = c.started + target.started,
        completed = c.completed + target.completed,
        failed = c.failed + target.failed,
        cancelled = c.cancelled + target.cancelled,
        dropped = c.dropped + target.dropped
      from target
      where c.organization_id = ${organizationId} and c.flow_id = target.flow_id
        and c.slot = target.slot
    )
    insert into flow_counters (organization_id, flow_id, started, completed, failed, cancelled,
      dropped)
    select ${organizationId}, flow_id, started, completed, failed, cancelled, dropped
    from target
    where slot is null`
}

export type Counters = Record<Counter, number>

export async function read(
  sql: Executor,
  organizationId: Uuid,
  flowIds: readonly Uuid[],
): Promise<Map<Uuid, Counters>> {
  const rows = await sql<({ flowId: Uuid } & Counters)[]>`
    select flow_id, sum(started)::bigint as started, sum(completed)::bigint as completed,
      sum(failed)::bigint as failed, sum(cancelled)::bigint as cancelled,
      sum(dropped)::bigint as dropped
    from flow_counters
    where organization_id = ${organizationId} and flow_id = any(${[...flowIds]}::uuid[])
    group by flow_id`
  return new Map(rows.map(({ flowId, ...counters }) => [flowId, counters]))
}

/** Records ended executions in their flows' counters and in the entries of contacts. */
export async function executionsOver(
  tx: Transaction,
  organizationId: Uuid,
  executions: readonly { flowId: Uuid; contactId: Uuid }[],
  status: FinalStatus,
): Promise<void> {
  const entries = tx`
    update flow_entries e
    set live = greatest(0, e.live - over.executions), last_ended_at = clock_timestamp()
    from (
      select held.flow_id, held.contact_id, over.executions
      from (
        select flow_id, contact_id, count(*)::integer as executions
        from unnest(
          ${executions.map(({ flowId }) => flowId)}::uuid[],
          ${executions.map(({ contactId }) => contactId)}::uuid[]
        ) as each (flow_id, contact_id)
        group by flow_id, contact_id
        order by flow_id, contact_id
      ) over
      cross join lateral (
        select flow_id, contact_id
        from flow_entries
        where organization_id = ${organizationId} and flow_id = over.flow_id
          and contact_id = over.contact_id
        for update
      ) held
    ) over
    where e.organization_id = ${organizationId} and e.flow_id = over.flow_id
      and e.contact_id = over.contact_id`
  const changes = executions.map(({ flowId }) => ({ flowId, counter: status, by: 1 }))
  await bump(tx, organizationId, changes, entries)
}

/** Reverts `executionsOver` for a failed execution that goes on. */
export async function executionReopened(
  tx: Transaction,
  organizationId: Uuid,
  { flowId, contactId }: { flowId: Uuid; contactId: Uuid },
): Promise<void> {
  const entries = tx`
    update flow_entries
    set live = live + 1
    where organization_id = ${organizationId} and flow_id = ${flowId}
      and contact_id = ${contactId}`
  await bump(tx, organizationId, [{ flowId, counter: 'failed', by: -1 }], entries)
}
