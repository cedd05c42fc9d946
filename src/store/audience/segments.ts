import type { SegmentFailure } from '../../domain/audience/audience.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Transaction } from '../db/sql.ts'
import { containing } from '../db/like.ts'

/** Count of a segment's members and its time. Null: it took too long. */
export interface SegmentCount {
  memberCount: number | null
  memberCountIsExact: boolean | null
  countedAt: string | null
}

export interface CountTried {
  countTriedAt?: string
}

export interface SegmentValues {
  name: string
  description: string | null
  condition: Condition
}

export interface SegmentRow extends SegmentValues, SegmentCount {
  id: Uuid
  /** Reason why members temporarily neither enter nor leave, if they are stored. */
  keptFailure: SegmentFailure | null
  setAsideUntil: string | null
  createdAt: string
  updatedAt: string
}

const columns = (sql: Executor) => sql`
  id, name, description, condition, member_count, member_count_is_exact, counted_at, created_at,
  updated_at, ${keptColumn(sql, sql`failure`)} as kept_failure,
  ${keptColumn(sql, sql`set_aside_until`)} as set_aside_until`

const keptColumn = (sql: Executor, column: Part) => sql`(
    select k.${column}
    from kept_segments k
    where k.organization_id = segments.organization_id and k.segment_id = segments.id
      and k.dropped_at is null
  )`

export async function create(
  sql: Executor,
  organizationId: Uuid,
  segment: SegmentValues & SegmentCount & CountTried & { id: Uuid },
): Promise<SegmentRow | undefined> {
  const [created] = await sql<SegmentRow[]>`
    insert into segments (organization_id, id, name, description, condition, member_count,
      member_count_is_exact, counted_at, count_tried_at)
    values (${organizationId}, ${segment.id}, ${segment.name}, ${segment.description},
      ${sql.json(segment.condition)}, ${segment.memberCount},
      ${segment.memberCountIsExact}, ${segment.countedAt}, ${segment.countTriedAt ?? null})
    on conflict (organization_id, id) do nothing
    returning ${columns(sql)}`
  return created
}

export async function count(sql: Executor, organizationId: Uuid, search?: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count
    from segments
    where organization_id = ${organizationId} ${nameContains(sql, search)}`
  return row?.count ?? 0
}

const nameContains = (sql: Executor, search = '') =>
  search === '' ? sql`` : sql`and name ilike ${containing(search)}`

export const list = (
  sql: Executor,
  organizationId: Uuid,
  { search, limit, offset }: { search: string | undefined; limit: number; offset: number },
) => sql<SegmentRow[]>`
  select ${columns(sql)}
  from segments
  where organization_id = ${organizationId} ${nameContains(sql, search)}
  order by id desc
  limit ${limit}
  offset ${offset}`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<SegmentRow | undefined> {
  const [segment] = await sql<SegmentRow[]>`
    select ${columns(sql)}
    from segments
    where organization_id = ${organizationId} and id = ${id}`
  return segment
}

/** Conditions by id. Segments that do not exist are left out. */
export async function listConditions(
  sql: Executor,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Map<Uuid, Condition>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<{ id: Uuid; condition: Condition }[]>`
    select id, condition
    from segments
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`
  return new Map(rows.map(({ id, condition }) => [id, condition]))
}

export async function findAnywhere(
  sql: Executor,
  id: Uuid,
): Promise<{ organizationId: Uuid; condition: Condition } | undefined> {
  const [segment] = await sql<{ organizationId: Uuid; condition: Condition }[]>`
    select organization_id, condition
    from segments
    where id = ${id}`
  return segment
}

/** Finds a segment and locks it against changes and deletion. */
export async function lock(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<SegmentRow | undefined> {
  const [segment] = await tx<SegmentRow[]>`
    select ${columns(tx)}
    from segments
    where organization_id = ${organizationId} and id = ${id}
    for update`
  return segment
}

export async function keep(
  tx: Transaction,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set()
  const keptSegments = await tx<{ id: Uuid }[]>`
    select id
    from segments
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
    order by id
    for key share`
  return new Set(keptSegments.map(({ id }) => id))
}

/** Finds a segment and locks it against changes, deletion and new references. */
export async function hold(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<SegmentRow | undefined> {
  const [segment] = await tx<SegmentRow[]>`
    select ${columns(tx)}
    from segments
    where organization_id = ${organizationId} and id = ${id}
    for no key update`
  return segment
}

/** The segment is locked. Without a condition the stored one stays, whatever it is. */
export async function update(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  segment: Omit<SegmentValues, 'condition'> &
    SegmentCount &
    CountTried & { condition: Condition | undefined },
): Promise<SegmentRow | undefined> {
  const [updated] = await tx<SegmentRow[]>`
    update segments
    set name = ${segment.name},
      description = ${segment.description},
      condition = ${segment.condition === undefined ? tx`condition` : tx.json(segment.condition)},
      member_count = ${segment.memberCount},
      member_count_is_exact = ${segment.memberCountIsExact},
      counted_at = ${segment.countedAt},
      count_tried_at = coalesce(${segment.countTriedAt ?? null}, count_tried_at),
      updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and id = ${id}
    returning ${columns(tx)}`
  return updated
}

/**
 * Claims the counting of a segment. False: somebody has begun it since `after`, whether it is
 * finished, running, or took too long.
 */
export async function takeCount(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  { now, after }: { now: string; after: string },
): Promise<boolean> {
  const { count } = await sql`
    update segments
    set count_tried_at = ${now}
    where organization_id = ${organizationId} and id = ${id}
      and (count_tried_at is null or count_tried_at < ${after})`
  return count > 0
}

export const recordCount = (
  sql: Executor,
  organizationId: Uuid,
  { id, updatedAt, memberCount, memberCountIsExact, countedAt }: SegmentRow,
) => sql`
  update segments
  set member_count = ${memberCount},
    member_count_is_exact = ${memberCountIsExact},
    counted_at = ${countedAt},
    count_tried_at = null
  where organization_id = ${organizationId} and id = ${id} and updated_at = ${updatedAt}
    and (counted_at is null or counted_at < ${countedAt})`

export const remove = (tx: Transaction, organizationId: Uuid, id: Uuid) => tx`
  delete from segments
  where organization_id = ${organizationId} and id = ${id}`
