import type { Uuid } from '../ids.ts'
import { bump } from './flow-counters.ts'
import * as executions from './executions.ts'
import { type Sql, type Transaction, transact } from './sql.ts'

/** An attempt of an execution whose workflow is to be started. */
export interface Attempt {
  organizationId: Uuid
  executionId: Uuid
  attempt: number
}

interface Asking {
  organizationId: Uuid
  id: Uuid
  /** The flow that has a place to give first; null: none is needed, or it is given. */
  limited: Uuid | null
}

/**
 * Which of these are to be started: those that still wait for it, and where their flow allows only
 * so many at once (`maxConcurrentExecutions`), those that get one of its places. Who gets none is
 * cancelled (`dropped`), which does not count as an entry of the contact. Answers the ids.
 */
export async function letIn(sql: Sql, attempts: readonly Attempt[]): Promise<Set<Uuid>> {
  if (attempts.length === 0) return new Set()
  const rows = await listAsking(sql, attempts)
  const starting = new Set(rows.flatMap(({ id, limited }) => (limited === null ? [id] : [])))
  const byFlow = new Map<Uuid, Asking[]>()
  for (const row of rows) {
    if (row.limited === null) continue
    byFlow.set(row.limited, [...(byFlow.get(row.limited) ?? []), row])
  }
  for (const [flowId, asking] of byFlow) {
    const organizationId = asking[0]?.organizationId ?? ''
    const ids = asking.map(({ id }) => id)
    const given = await transact(sql, (tx) => givePlaces(tx, organizationId, flowId, ids))
    for (const id of given) starting.add(id)
  }
  return starting
}

/** Attempts that nobody began and nobody ended. A retry has its place still. */
const listAsking = (sql: Sql, attempts: readonly Attempt[]) => sql<Asking[]>`
  select e.organization_id, e.id,
    case when f.max_concurrent is not null and e.let_in_at is null and e.attempt = 1
      then f.id end as limited
  from unnest(
    ${attempts.map(({ organizationId }) => organizationId)}::uuid[],
    ${attempts.map(({ executionId }) => executionId)}::uuid[],
    ${attempts.map(({ attempt }) => attempt)}::integer[]
  ) as asked (organization_id, id, attempt)
  join executions e on e.organization_id = asked.organization_id and e.id = asked.id
    and e.attempt = asked.attempt and e.status = 'pending'
  join flows f on f.organization_id = e.organization_id and f.id = e.flow_id`

/**
 * Gives the free places of a flow to the oldest of its executions that ask. The flow's row is
 * locked, so that however many relays ask, no place is given twice and none stays free.
 */
async function givePlaces(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  ids: readonly Uuid[],
): Promise<Uuid[]> {
  const [flow] = await tx<{ most: number | null }[]>`
    select max_concurrent as most
    from flows
    where organization_id = ${organizationId} and id = ${flowId}
    for no key update`
  if (!flow) return []
  const taken = flow.most === null ? 0 : await countTaken(tx, organizationId, flowId, flow.most)
  const free = flow.most === null ? ids.length : flow.most - taken
  const asking = await tx<{ id: Uuid; letInAt: string | null }[]>`
    select id, let_in_at
    from executions
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
      and status = 'pending'
    order by id
    for update`
  const waiting = asking.filter(({ letInAt }) => letInAt === null).map(({ id }) => id)
  const given = waiting.slice(0, Math.max(0, free))
  await tx`
    update executions
    set let_in_at = clock_timestamp()
    where organization_id = ${organizationId} and id = any(${given}::uuid[])`
  await drop(tx, organizationId, flowId, waiting.slice(given.length))
  return [...asking.filter(({ letInAt }) => letInAt !== null).map(({ id }) => id), ...given]
}

/** Places that are taken, counted to `most`: by whoever runs, and who was let in and will. */
async function countTaken(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  most: number,
): Promise<number> {
  const [row] = await tx<{ taken: number }[]>`
    select count(*)::integer as taken
    from (
      select
      from executions
      where organization_id = ${organizationId} and flow_id = ${flowId}
        and status in ('active', 'paused', 'waiting')
      union all
      select
      from executions
      where organization_id = ${organizationId} and flow_id = ${flowId}
        and status = 'pending' and let_in_at is not null
      limit ${most}
    ) places`
  return row?.taken ?? 0
}

async function drop(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  ids: readonly Uuid[],
): Promise<void> {
  if (ids.length === 0) return
  const ending = { status: 'cancelled', reason: 'dropped' } as const
  const dropped = await executions.end(tx, organizationId, ids, ending, { tellsRuns: false })
  await leaveNoEntry(tx, organizationId, flowId, dropped)
  await bump(tx, organizationId, [{ flowId, counter: 'dropped', by: dropped.length }])
}

/**
 * The contacts did not get in: a flow that lets nobody in twice must let them in another time. Rows
 * of entries are changed in the order of contacts, as everywhere.
 */
async function leaveNoEntry(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  ids: readonly Uuid[],
): Promise<void> {
  const entries = tx`
    select contact_id, count(*) as times
    from executions
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
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
