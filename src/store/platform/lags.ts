import type { Executor } from '../db/sql.ts'

/** What is due and not done: how far the loops and the workers are behind. */
export interface Lags {
  /** Since the outbox message was written that is due first. */
  outboxSeconds: number
  /**
   * Since that live batch came on which has stood still longest. It is due, has recipients left
   * that do not wait for an outcome, and no daily quota in its way.
   */
  batchSeconds: number
  /**
   * Since the first of the contacts changed whose kept segments are not brought up to date, or
   * since a segment was to be kept whose members are not recorded.
   */
  membershipSeconds: number
  /** Kept segments that are set aside, because they cannot be asked. */
  segmentsSetAside: number
  /** Since the oldest delivery event was received that is not applied and waits for no call. */
  eventSeconds: number
  /** Executions whose delay or wait should have ended; counted to `most`. */
  overdue: number
  /** Since the first of them should have been woken. */
  overdueSeconds: number
}

/** Due for less than this is being woken. */
const GRACE_MS = 2_000

/** Contacts that are looked at: those that lie first in the table. Their times have no index. */
const MOST_CONTACTS = 1_000

/** Reads how far behind everything is, of all organizations together. */
export async function readLags(sql: Executor, most: number): Promise<Lags> {
  const [lags] = await sql<Lags[]>`
    with overdue as (
      select s.due_at
      from executions e
      join execution_steps s on s.organization_id = e.organization_id and s.execution_id = e.id
        and s.step_id = e.step_id and s.visit = e.visit
      where e.status in ('paused', 'waiting')
        and e.progressed_at < statement_timestamp() - ${GRACE_MS} * interval '1 millisecond'
        and s.due_at < statement_timestamp() - ${GRACE_MS} * interval '1 millisecond'
      order by e.progressed_at
      limit ${most}
    )
    select (
        select coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8
        from (
          (${firstOfLane(sql, 0)})
          union all
          (${firstOfLane(sql, 1)})
        ) first
      ) as outbox_seconds,
      (
        select coalesce(extract(epoch from
          clock_timestamp() - min(greatest(b.progressed_at, b.scheduled_for))), 0)::float8
        from batches b
        where b.status in ('queued', 'scheduled', 'processing') and b.paused_reason is null
          and (b.scheduled_for is null or b.scheduled_for <= statement_timestamp())
          and not exists (
            select
            from batch_parts p
            where p.organization_id = b.organization_id and p.batch_id = b.id
              and p.send_at > statement_timestamp()
          )
          and not (b.audience_frozen_at is not null and b.unknown > 0
            and b.sent + b.failed + b.skipped + b.unknown = b.total_recipients)
          and not exists (
            select
            from connections c
            join sending_limits l on l.account_id = c.account_id and l.region = c.region
            where c.organization_id = b.organization_id and c.id = b.connection_id
              and (l.quota_until > statement_timestamp()
                or (l.paused_until > statement_timestamp() and l.paused_reason = 'daily_quota'))
          )
      ) as batch_seconds,
      (
        select coalesce(extract(epoch from clock_timestamp() - least(
          (
            select min(marked_at)
            from (select marked_at from dirty_contacts limit ${MOST_CONTACTS}) first
          ),
          (select min(due_at) from membership_deadlines where due_at < statement_timestamp()),
          (
            select min(kept_since)
            from kept_segments
            where dropped_at is null and not is_scanned and recorded_at is null
              and failure is null
          )
        )), 0)::float8
      ) as membership_seconds,
      (
        select count(*)::integer
        from kept_segments
        where dropped_at is null and not is_scanned and failure is not null
      ) as segments_set_aside,
      (
        select coalesce(extract(epoch from clock_timestamp() - min(received_at)), 0)::float8
        from (
          select received_at
          from inbound_events
          where applied_at is null and look_at is null
          order by position
          limit 1
        ) oldest
      ) as event_seconds,
      count(*)::integer as overdue,
      coalesce(extract(epoch from clock_timestamp() - min(due_at)), 0)::float8 as overdue_seconds
    from overdue`
  if (!lags) throw new Error('an aggregate answered nothing')
  return lags
}

/**
 * The message that is due first, as the relay reads them. The oldest may be another: to find it,
 * all would have to be read.
 */
const firstOfLane = (sql: Executor, lane: 0 | 1) => sql`
  select created_at
  from outbox
  where done_at is null and case when kind = 'start_execution' then 1 else 0 end = ${lane}
  order by available_at, position
  limit 1`
