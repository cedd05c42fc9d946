import type { QueueProblem, QueueSource } from '../../domain/delivery/event-queue.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Sql, Transaction } from '../db/sql.ts'

/**
 * Starts polling a new queue, at once. Events in the previous queue are no longer received, which
 * counts as an interruption. Called before the connection changes, since polls lock in this order,
 * too.
 */
export const begin = (tx: Transaction, organizationId: Uuid, connectionId: Uuid) => tx`
  with before as materialized (
    select organization_id, connection_id
    from event_queue_polls
    where organization_id = ${organizationId} and connection_id = ${connectionId}
    for update
  ), begun as (
    insert into event_queue_polls (organization_id, connection_id)
    values (${organizationId}, ${connectionId})
    on conflict (organization_id, connection_id) do update
    set due_at = excluded.due_at, held_by = null, held_until = null, failures = 0, problem = null,
      polled_at = excluded.polled_at, emptied_at = null
  )
  ${interrupted(tx, tx`before`)}`

/**
 * Ends polling: the connection has no queue any more. Its events arrive in another way, or not at
 * all.
 */
export const end = (tx: Transaction, organizationId: Uuid, connectionId: Uuid) => tx`
  with ended as (
    delete from event_queue_polls
    where organization_id = ${organizationId} and connection_id = ${connectionId}
    returning organization_id, connection_id
  )
  ${interrupted(tx, tx`ended`)}`

const interrupted = (sql: Executor, polls: Part) => sql`
  update connections c
  set events_refused_at = clock_timestamp()
  from ${polls} p
  where c.organization_id = p.organization_id and c.id = p.connection_id`

interface Claim {
  /** Names the worker during its lifetime. */
  workerId: Uuid
  holdMs: number
  limit: number
}

export const claim = (sql: Sql, { workerId, holdMs, limit }: Claim) => sql<QueueSource[]>`
  with due as (
    select p.organization_id, p.connection_id
    from event_queue_polls p
    join connections c on c.organization_id = p.organization_id and c.id = p.connection_id
      and c.disconnected_at is null and c.event_queue_url is not null
    where p.due_at <= statement_timestamp()
      and (p.held_until is null or p.held_until <= statement_timestamp())
    order by p.due_at
    limit ${limit}
    for update of p skip locked
  ), held as (
    update event_queue_polls p
    set held_by = ${workerId},
      held_until = clock_timestamp() + ${holdMs} * interval '1 millisecond'
    from due
    where p.organization_id = due.organization_id and p.connection_id = due.connection_id
    returning p.organization_id, p.connection_id
  )
  select held.organization_id, held.connection_id, c.account_id, c.region, c.external_id,
    c.event_queue_url
  from held
  join connections c on c.organization_id = held.organization_id and c.id = held.connection_id`

interface PollAnswer {
  workerId: Uuid
  /** Milliseconds since the poll began. */
  tookMs: number
  isEmpty: boolean
  holdMs: number
  /** Pause between two polls, in milliseconds, above which our receiving counts as interrupted. */
  gapMs: number
}

/**
 * Records an answered poll, and extends the claim. Returns false if another worker has the queue,
 * or it is no longer polled.
 */
export async function recordAnswer(
  sql: Sql,
  { organizationId, connectionId, eventQueueUrl }: QueueSource,
  { workerId, tookMs, isEmpty, holdMs, gapMs }: PollAnswer,
): Promise<boolean> {
  const ms = (value: number) => sql`${value} * interval '1 millisecond'`
  const { count } = await sql`
    with mine as materialized (
      select p.organization_id, p.connection_id, p.polled_at
      from event_queue_polls p
      join connections c on c.organization_id = p.organization_id and c.id = p.connection_id
        and c.disconnected_at is null and c.event_queue_url = ${eventQueueUrl}
      where p.organization_id = ${organizationId} and p.connection_id = ${connectionId}
        and p.held_by = ${workerId}
      for update of p
    ), interrupted as (
      update connections c
      set events_refused_at = clock_timestamp()
      from mine
      where c.organization_id = mine.organization_id and c.id = mine.connection_id
        and mine.polled_at < statement_timestamp() - ${ms(tookMs)} - ${ms(gapMs)}
    )
    update event_queue_polls p
    set polled_at = clock_timestamp(), failures = 0, problem = null,
      emptied_at = case when ${isEmpty} then clock_timestamp() - ${ms(tookMs)} else p.emptied_at end,
      held_until = clock_timestamp() + ${ms(holdMs)}
    from mine
    where p.organization_id = mine.organization_id and p.connection_id = mine.connection_id`
  return count > 0
}

interface Release {
  workerId: Uuid
  /** Milliseconds until the queue is due. */
  waitMs?: number
}

export const release = (
  sql: Executor,
  source: QueueSource,
  { workerId, waitMs = 0 }: Release,
) => sql`
  update event_queue_polls
  set held_by = null, held_until = null,
    due_at = clock_timestamp() + ${waitMs} * interval '1 millisecond'
  where organization_id = ${source.organizationId} and connection_id = ${source.connectionId}
    and held_by = ${workerId}
  returning organization_id, connection_id`

/**
 * Releases the queue after a failed turn, as an interruption, since received messages may not be
 * stored.
 */
export const recordInterruption = (sql: Sql, source: QueueSource, releaseInput: Release) => sql`
  with released as (${release(sql, source, releaseInput)})
  ${interrupted(sql, sql`released`)}`

/**
 * Records a poll without an answer. The next one is later each time, by a minute at most. Returns
 * the number of failures in a row.
 */
export async function recordProblem(
  sql: Sql,
  { organizationId, connectionId }: QueueSource,
  { workerId, problem }: { workerId: Uuid; problem: QueueProblem },
): Promise<number> {
  const [row] = await sql<{ failures: number }[]>`
    update event_queue_polls
    set held_by = null, held_until = null, failures = failures + 1, problem = ${problem},
      due_at = clock_timestamp() + least(60, power(2, least(failures, 6))) * interval '1 second'
    where organization_id = ${organizationId} and connection_id = ${connectionId}
      and held_by = ${workerId}
    returning failures`
  return row?.failures ?? 0
}
