import { HOOK_PRIORITY } from '../../domain/hooks/hook-event.ts'
import type { Executor } from '../db/sql.ts'

export interface Lags {
  /** Seconds since the earliest due outbox message was written. */
  outboxSeconds: number
  /**
   * Seconds since the last progress of the live batch that has stood still longest. Counted are
   * batches that are due, have recipients other than those that wait for an outcome, and are not
   * stopped by a daily quota.
   */
  batchSeconds: number
  /**
   * Seconds since a contact of an outdated segment changed, or since storing began of a segment
   * whose members are not recorded.
   */
  membershipSeconds: number
  /** Stored segments that are set aside because they cannot be evaluated. */
  segmentsSetAside: number
  /**
   * Seconds since the oldest delivery event arrived that is neither applied nor waits for a call.
   */
  eventSeconds: number
  /** Seconds since the oldest delivery was due to an endpoint that may be called. */
  hookSeconds: number
  /** Webhook endpoints that keep failing: one call at a time, at growing intervals. */
  gatedHooks: number
  /** Executions whose delay or wait is over. Counted up to `most`. */
  overdue: number
  /** Seconds since the first of them was due. */
  overdueSeconds: number
}

/** Executions that became due within this time are still being woken. */
const GRACE_MS = 2_000

/** Contacts that are read, the first ones in the table. Their times have no index. */
const MOST_CONTACTS = 1_000

/** Reads the delays of all organizations together. */
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
      (
        select coalesce(extract(epoch from clock_timestamp() - min(first.due_at)), 0)::float8
        from hook_endpoints e
        cross join lateral (
          select q.due_at
          from hook_queue q
          where q.endpoint_id = e.id and q.priority = ${HOOK_PRIORITY.event}
            and q.due_at <= statement_timestamp()
          order by q.due_at
          limit 1
        ) first
        where e.disabled_at is null and e.gate_until is null
      ) as hook_seconds,
      (
        select count(*)::integer
        from hook_endpoints
        where disabled_at is null and gate_until is not null
      ) as gated_hooks,
      count(*)::integer as overdue,
      coalesce(extract(epoch from clock_timestamp() - min(due_at)), 0)::float8 as overdue_seconds
    from overdue`
  if (!lags) throw new Error('an aggregate answered nothing')
  return lags
}

/**
 * The message that is due first, in the relay's order. The oldest message may be another, but
 * finding it would mean reading all of them.
 */
const firstOfLane = (sql: Executor, lane: 0 | 1) => sql`
  select created_at
  from outbox
  where done_at is null and case when kind = 'start_execution' then 1 else 0 end = ${lane}
  order by available_at, position
  limit 1`
