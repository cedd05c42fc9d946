/**
 * Members of stored segments, and the contacts to evaluate. Everything here runs in a transaction
 * that holds its organization's turn: nobody else evaluates its contacts.
 */
import type { Condition } from '../../domain/audience/condition.ts'
import { earliestAbout, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Sql, Transaction } from '../db/sql.ts'
import { nextChange } from './condition-deadline.ts'
import { holds } from './condition-sql.ts'

/**
 * Takes the turn of the organization that has waited longest with marked contacts, open scans or
 * members to delete. Undefined: none is free. `hasFailed`: it was postponed.
 */
export async function takeTurn(
  tx: Transaction,
): Promise<{ organizationId: Uuid; hasFailed: boolean } | undefined> {
  const [turn] = await tx<{ organizationId: Uuid; hasFailed: boolean }[]>`
    with recursive dirty as (
      (select organization_id from dirty_contacts order by organization_id limit 1)
      union all
      select (
          select organization_id
          from dirty_contacts
          where organization_id > dirty.organization_id
          order by organization_id
          limit 1
        )
      from dirty
      where dirty.organization_id is not null
    )
    select organization_id, put_off_until > 'epoch' as has_failed
    from membership_turns
    where put_off_until <= statement_timestamp() and organization_id in (
      select organization_id from dirty
      union
      select organization_id
      from kept_segments
      where dropped_at is not null
        or not is_scanned
          and (scan_after is null or scan_after < pg_snapshot_xmin(pg_current_snapshot()))
          and (set_aside_until is null or set_aside_until <= statement_timestamp())
    )
    order by taken_at
    limit 1
    for update skip locked`
  if (!turn) return undefined
  await tx`
    update membership_turns
    set taken_at = clock_timestamp(), put_off_until = 'epoch'
    where organization_id = ${turn.organizationId}`
  // Conditions have many parts that each read a few rows. A plan for many rows, and compiled code,
  // would cost more than they do.
  await tx`
    select set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true)`
  return turn
}

export const putOff = (sql: Sql, organizationId: Uuid, ms: number) => sql`
  update membership_turns
  set put_off_until = clock_timestamp() + ${ms} * interval '1 millisecond'
  where organization_id = ${organizationId}`

/**
 * Limits the following statements of a transaction to so many milliseconds, or to their present
 * limit. Returns the present limit.
 */
export async function limitStatements(tx: Transaction, ms: number): Promise<number> {
  const [row] = await tx<{ before: number }[]>`
    with session as materialized (
      select (extract(epoch from current_setting('statement_timeout')::interval) * 1000)::integer
        as before
    )
    select before,
      set_config('statement_timeout', least(nullif(before, 0), ${ms}::integer)::text, true)
    from session`
  return row?.before ?? 0
}

export const restoreLimit = (tx: Transaction, before: number) => tx`
  select set_config('statement_timeout', ${String(before)}, true)`

/** Time of Postgres' clock, which all workers share. */
export async function present(sql: Executor): Promise<string> {
  const [row] = await sql<{ now: string }[]>`select clock_timestamp()::timestamptz(3) as now`
  if (!row) throw new Error('Postgres has no clock')
  return row.now
}

/** Removes up to `limit` marks, the oldest first, and returns their distinct contacts. */
export async function takeDirty(
  tx: Transaction,
  organizationId: Uuid,
  limit: number,
): Promise<Uuid[]> {
  const rows = await tx<{ contactId: Uuid }[]>`
    delete from dirty_contacts
    where organization_id = ${organizationId} and id = any(array(
      select id
      from dirty_contacts
      where organization_id = ${organizationId}
      order by id
      limit ${limit}
    ))
    returning contact_id`
  return [...new Set(rows.map(({ contactId }) => contactId))]
}

export async function listPage(
  tx: Transaction,
  organizationId: Uuid,
  after: Uuid | null,
  limit: number,
): Promise<Uuid[]> {
  const rows = await tx<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId} ${after === null ? tx`` : tx`and id > ${after}`}
    order by id
    limit ${limit}`
  return rows.map(({ id }) => id)
}

export interface AskedSegment {
  id: Uuid
  condition: Condition
  keptSince: string
  isRecorded: boolean
  scanCursor: Uuid | null
  recordedTo: Uuid | null
}

export interface Difference {
  keptId: Uuid
  contactId: Uuid
  hasEntered: boolean
  /** It is known that the contact was not a member when storing began. */
  isKnown: boolean
}

interface MembershipQuestion {
  organizationId: Uuid
  contactIds: readonly Uuid[]
  segments: readonly AskedSegment[]
  now: string
}

export async function listDifferences(
  tx: Transaction,
  { organizationId, contactIds, segments, now }: MembershipQuestion,
): Promise<Difference[]> {
  if (contactIds.length === 0 || segments.length === 0) return []
  const givenIds = tx`(select ids from given)::uuid[]`
  const [since = ''] = contactIds.map(earliestAbout).toSorted()
  const among = { ids: givenIds, since }
  const holding = segments.map(
    ({ id, condition, keptSince, isRecorded, scanCursor, recordedTo }, i) => tx`
      ${i === 0 ? tx`` : tx`union all`}
      select ${id}::uuid as kept_id, contacts.id,
        ${isRecorded} or contacts.created_at > ${keptSince}::timestamptz
          or contacts.id <= greatest(${scanCursor}::uuid, ${recordedTo}::uuid) as is_known
      from contacts
      where contacts.organization_id = ${organizationId} and contacts.id = any(${givenIds})
        and ${holds(tx, organizationId, condition, now, { among })}`,
  )
  return tx.once(tx<Difference[]>`
    with given as materialized (
      select ${[...contactIds]}::uuid[] as ids
    ), holding as materialized (${holding}), members as materialized (
      select kept_id, contact_id as id
      from segment_members
      where organization_id = ${organizationId} and contact_id = any(${givenIds})
        and kept_id = any(${segments.map(({ id }) => id)}::uuid[])
    )
    select coalesce(h.kept_id, m.kept_id) as kept_id, coalesce(h.id, m.id) as contact_id,
      m.id is null as has_entered, m.id is not null or coalesce(h.is_known, false) as is_known
    from holding h
    full join members m on m.kept_id = h.kept_id and m.id = h.id
    where h.id is null or m.id is null
    order by 2, 1`)
}

export async function writeDifferences(
  tx: Transaction,
  organizationId: Uuid,
  differences: readonly Difference[],
  now: string,
): Promise<void> {
  const entries = differences.filter(({ hasEntered }) => hasEntered)
  const exits = differences.filter(({ hasEntered }) => !hasEntered)
  if (entries.length > 0) {
    await tx`
      insert into segment_members (organization_id, kept_id, contact_id, entered_at)
      select ${organizationId}, kept_id, contact_id,
        case when is_known::boolean then ${now}::timestamptz end
      from unnest(
        ${entries.map(({ keptId }) => keptId)}::uuid[],
        ${entries.map(({ contactId }) => contactId)}::uuid[],
        ${entries.map(({ isKnown }) => String(isKnown))}::text[]
      ) as entry (kept_id, contact_id, is_known)`
  }
  if (exits.length > 0) {
    await tx`
      delete from segment_members m
      using unnest(
        ${exits.map(({ keptId }) => keptId)}::uuid[],
        ${exits.map(({ contactId }) => contactId)}::uuid[]
      ) as gone (kept_id, contact_id)
      where m.organization_id = ${organizationId} and m.kept_id = gone.kept_id
        and m.contact_id = gone.contact_id`
  }
}

/**
 * Deletes the deadlines of contacts that have changed, so that all their segments are evaluated.
 */
export const deleteDeadlines = (
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
) => tx`
  delete from membership_deadlines
  where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])`

/** Records when these contacts must be evaluated again because time has passed. */
export async function writeDeadlines(
  tx: Transaction,
  { organizationId, contactIds, segments, now }: MembershipQuestion,
): Promise<void> {
  if (contactIds.length === 0) return
  const conditions = segments.map(({ condition }) => condition)
  const nextDeadline: Part | undefined = nextChange(
    { sql: tx, organizationId, now: Date.parse(now) },
    conditions,
  )
  if (!nextDeadline) return
  await tx.once(tx`
    insert into membership_deadlines as d (organization_id, contact_id, due_at)
    select ${organizationId}, id, due_at
    from (
      select contacts.id, ${nextDeadline} as due_at
      from contacts
      where contacts.organization_id = ${organizationId}
        and contacts.id = any(${[...contactIds]}::uuid[])
    ) as aged
    where due_at is not null
    order by id
    on conflict (organization_id, contact_id) do update
    set due_at = least(d.due_at, excluded.due_at)`)
}

/**
 * Marks up to `limit` contacts of all organizations whose deadline has passed. Returns their
 * number.
 */
export async function markDue(sql: Sql, now: string, limit: number): Promise<number> {
  const { count } = await sql`
    with due as (
      delete from membership_deadlines
      where (organization_id, contact_id) in (
        select organization_id, contact_id
        from membership_deadlines
        where due_at <= ${now}
        order by due_at
        limit ${limit}
        for update skip locked
      )
      returning organization_id, contact_id
    )
    insert into dirty_contacts (organization_id, contact_id)
    select organization_id, contact_id
    from due`
  return count
}
