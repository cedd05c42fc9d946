import type { Decision, Evidence, UnknownOutcome } from '../../domain/delivery/doubt.ts'
import { span, type Uuid } from '../../runtime/ids.ts'
import { priorityOf } from '../mails/mail-priorities.ts'
import { slotOf } from './answered-counts.ts'
import * as hookFacts from '../hooks/hook-facts.ts'
import * as outbox from '../platform/outbox.ts'
import type { Sql } from '../db/sql.ts'
import { sendersOf } from './probes.ts'
import { findWaitingDays } from './waiting-days.ts'

export interface Claim {
  organizationId: string
  id: Uuid
  connectionId: string
  bucket: Uuid
  batchId: Uuid | null
  messageIds: Uuid[]
}

/** Lists live claims whose lease is over: their worker is gone, stuck or disconnected. */
export const expired = (sql: Sql, leaseMs: number, limit: number) => sql<Claim[]>`
  select organization_id, id, connection_id, bucket, batch_id, message_ids
  from claims
  where state = 'live' and claimed_at < statement_timestamp() - ${leaseMs} * interval '1 millisecond'
  order by claimed_at
  limit ${limit}`

/**
 * Puts a lost claim in doubt: rows whose call may have begun become `unknown`. Rows that have an
 * outcome by now stay as they are. The claim is kept while one of its rows is in doubt, and deleted
 * otherwise. Executions that wait for such a row are woken, since they wait for it only for a
 * while.
 */
export const doubt = (sql: Sql, claim: Claim) => {
  const { organizationId, id, bucket, batchId, messageIds } = claim
  return sql`
  with held as materialized (${lockedRows(sql, claim, 'claimed')}), moved as (
    update messages m
    set state = 'unknown', error = 'the worker was lost'
    from held
    where m.organization_id = ${organizationId} and m.bucket = ${bucket}
      and m.id between ${span(messageIds)[0]} and ${span(messageIds)[1]} and m.id = held.id
    returning m.id, m.execution_id
  ), woken as (${outbox.wake(sql, organizationId, sql`select execution_id from moved`)}
  ), doubted as (
    update claims
    set state = 'doubt', look_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id} and exists (select from moved)
  ), released as (
    delete from claims
    where organization_id = ${organizationId} and id = ${id} and state = 'live'
      and not exists (select from moved)
  )
  update batches
  set unknown = unknown + lost.rows, updated_at = clock_timestamp()
  from (select count(*) as rows from moved) lost
  where organization_id = ${organizationId} and id = ${batchId} and lost.rows > 0`
}

export interface Doubtful extends Claim, Evidence {
  unknownOutcome: UnknownOutcome
}

interface Look {
  neighbourMs: number
  applyMs: number
  receivingGapMs: number
  giveUpMs: number
  limit: number
}

/**
 * Time after which all calls of a connection name its configuration set: a worker that read the
 * connection earlier leaves it out for a moment, and a set that SES refused is left out for a
 * minute.
 */
const SETTLED = '2 minutes'

/** Longest time between two polls of a working queue: the wait at an empty one. */
const LONGEST_POLL_MS = 25_000

/**
 * Lists claims in doubt that are due to be judged, with the evidence of their connections' events
 * (see src/domain/delivery/doubt.ts). All evidence is of one snapshot: an event that arrives
 * meanwhile finds the rows in doubt and decides them itself.
 *
 * A queue that is not polled counts as an interruption that lasts until now, until earlier claims
 * are given up. After an interruption the queue must have been empty once: until then it may still
 * hold missed events.
 */
export const listDue = async (sql: Sql, look: Look): Promise<Doubtful[]> => {
  const { neighbourMs, applyMs, receivingGapMs, giveUpMs, limit } = look
  const ms = (value: number) => sql`${value} * interval '1 millisecond'`
  const since = await findFirstDueDay(sql)
  if (since === undefined) return []
  const waiting = await findWaitingDays(sql)
  const rows = await sql<(Claim & Row)[]>`
    with receiving as materialized (
      select coalesce(bool_or(stopped_at is null and beat_at >= statement_timestamp() - ${ms(receivingGapMs)}), false) as is_receiving,
        greatest(max(interrupted_until), max(beat_at + ${ms(receivingGapMs)})
          filter (where stopped_at is null and beat_at < statement_timestamp() - ${ms(receivingGapMs)})) as until
      from receivers
    ), lagging as materialized (
      select distinct connection_id
      from inbound_events
      where applied_at is null and look_at is null
        and received_on between ${waiting.first}::date and ${waiting.last}::date
        and received_at < statement_timestamp() - ${ms(applyMs)}
    ), due as materialized (
      select k.*, q.connection_id is not null as has_queue, q.emptied_at,
        c.sns_topic_arn is not null as is_given_up,
        coalesce(c.configuration_set_since + ${SETTLED}::interval < k.claimed_at, false)
          as names_set,
        greatest(receiving.until, c.events_refused_at, case
          when q.polled_at < statement_timestamp() - ${ms(LONGEST_POLL_MS + receivingGapMs)}
            then least(clock_timestamp(), q.polled_at + ${ms(giveUpMs)})
        end) as refused_until
      from claims k
      cross join receiving
      join connections c on c.organization_id = k.organization_id and c.id = k.connection_id
      left join event_queue_polls q on q.organization_id = k.organization_id
        and q.connection_id = k.connection_id
      where k.state = 'doubt' and k.look_at <= statement_timestamp()
        and k.claimed_at >= ${since}::date
      order by k.look_at
      limit ${limit}
    )
    select due.organization_id, due.id, due.connection_id, due.bucket, due.batch_id,
      due.channel, due.message_ids, due.claimed_at, clock_timestamp() as now,
      coalesce(b.unknown_outcome, 'fail') as unknown_outcome,
      coalesce(mails.answered, 0) + probes.answered as witnesses,
      coalesce(mails.arrived, 0) + probes.arrived as arrived,
      coalesce(mails.later, 0) + probes.answered as later,
      greatest(mails.last_arrival_at, probes.last_arrival_at) as last_arrival_at,
      case when refused_until > due.claimed_at then refused_until end as interrupted_until,
      receiving.is_receiving, due.is_given_up,
      coalesce((select restored_at from ledger_beats) > due.claimed_at, false) as is_restored,
      coalesce(since.answered, 0) + probes.answered_since as since_interruption,
      coalesce(since.arrived, 0) + probes.arrived_since as arrived_since_interruption,
      senders.unheard as unheard_senders,
      due.connection_id not in (select connection_id from lagging)
        and not exists (
          select from inbound_events e
          where e.organization_id = due.organization_id and e.connection_id = due.connection_id
            and e.error is not null and e.received_at >= due.claimed_at
            and e.received_on between ${since}::date - 1 and ${waiting.last}::date
        )
        and not exists (
          select from unapplied_events u
          where u.organization_id = due.organization_id and u.connection_id = due.connection_id
            and u.unread_dropped_at >= due.claimed_at
        )
        and (not has_queue or refused_until is null or refused_until <= due.claimed_at
          or coalesce(emptied_at > refused_until, false)) as is_applied
    from due
    cross join receiving
    left join batches b on b.organization_id = due.organization_id and b.id = due.batch_id
    cross join lateral (
      select sum(answered)::int as answered, sum(arrived)::int as arrived,
        max(last_arrival_at) as last_arrival_at,
        (sum(answered) filter (where slot > due.claimed_at))::int as later
      from answered_counts a
      where a.organization_id = due.organization_id and a.connection_id = due.connection_id
        and slot >= ${slotOf(sql, sql`due.claimed_at - ${ms(neighbourMs)}`)}
        and slot <= due.claimed_at + ${ms(neighbourMs)}
    ) mails
    cross join lateral (
      select count(*)::int as answered, count(first_event_at)::int as arrived,
        max(first_event_at) as last_arrival_at,
        (count(*) filter (where claimed_at > refused_until))::int as answered_since,
        (count(first_event_at) filter (where claimed_at > refused_until))::int as arrived_since
      from probes p
      where p.organization_id = due.organization_id and p.connection_id = due.connection_id
        and p.claimed_at > due.claimed_at and p.answered_at is not null
    ) probes
    cross join lateral (
      select sum(answered)::int as answered, sum(arrived)::int as arrived
      from (
        select answered, arrived
        from answered_counts a
        where a.organization_id = due.organization_id and a.connection_id = due.connection_id
          and slot > refused_until
        order by slot
        limit 6
      ) first_slots
    ) since
    cross join lateral (
      select count(*)::int as unheard
      from (${sendersOf(sql, sql`due`)}) sender
      where not due.names_set and not exists (
        select from probes p
        where p.organization_id = due.organization_id and p.connection_id = due.connection_id
          and p.from_address = sender.from_address and p.claimed_at > due.claimed_at
          and p.first_event_at is not null
      )
    ) senders`
  return rows.map((row) => ({
    ...row,
    now: Date.parse(row.now),
    claimedAt: Date.parse(row.claimedAt),
    lastArrivalAt: row.lastArrivalAt === null ? null : Date.parse(row.lastArrivalAt),
    interruptedUntil: row.interruptedUntil === null ? null : Date.parse(row.interruptedUntil),
  }))
}

/**
 * Finds the day of the oldest due claim. Events about due claims were received since the day
 * before. Undefined: no claim is due.
 */
async function findFirstDueDay(sql: Sql): Promise<string | undefined> {
  const [oldest] = await sql<{ day: string | null }[]>`
    select min(claimed_at)::date as day
    from claims
    where state = 'doubt' and look_at <= statement_timestamp()`
  return oldest?.day ?? undefined
}

type Times = 'now' | 'claimedAt' | 'lastArrivalAt' | 'interruptedUntil'
type Row = Omit<Doubtful, Times> & {
  now: string
  claimedAt: string
  lastArrivalAt: string | null
  interruptedUntil: string | null
}

/** Postpones the next judgement of a claim by `waitMs`. */
export const lookAgain = (sql: Sql, { organizationId, id }: Claim, waitMs: number) => sql`
  update claims
  set look_at = clock_timestamp() + ${waitMs} * interval '1 millisecond'
  where organization_id = ${organizationId} and id = ${id} and state = 'doubt'`

/**
 * Decides every row of a claim that is still in doubt. `not_accepted` rows go back to `queued` and
 * are sent again, unless the batch is completed or the flow's step has gone on without them: then
 * they are `failed`. `unknown_outcome` rows are `failed`, which a late event may still correct.
 * `again` rows are sent again, as the batch asks for if the outcome cannot be known. The claim is
 * deleted. Executions that wait for a failed row are woken.
 *
 * The batch is locked before its status is read, as when it completes (`completeBatch`): a batch
 * that completes at the same moment never gets a queued row. The condition on the count of `held`
 * is always true: it makes Postgres lock the messages before the batch.
 */
export const decide = (sql: Sql, claim: Claim, decision: Decision) => {
  const { organizationId, id, bucket, batchId, messageIds } = claim
  return sql`
  with held as materialized (${lockedRows(sql, claim, 'unknown')}), batch as materialized (
    select status
    from batches
    where organization_id = ${organizationId} and id = ${batchId}
      and (select count(*) from held) >= 0
    for update
  ), moved as (
    update messages m
    set state = verdict.state,
      status = verdict.state,
      reason = case when verdict.state = 'failed' then ${decision === 'unknown_outcome' ? decision : 'not_accepted'} end,
      claim_id = null,
      claimed_at = null
    from held
    cross join lateral (
      select case
        when ${decision} = 'unknown_outcome' then 'failed'
        when (select status from batch) = 'completed' then 'failed'
        when held.source = 'workflow' and not exists (
          select from execution_steps s
          where s.organization_id = ${organizationId} and s.execution_id = held.execution_id
            and s.mail_id = held.id and s.status = 'executing'
        )
        then 'failed'
        else 'queued'
      end as state
    ) verdict
    where m.organization_id = ${organizationId} and m.bucket = ${bucket}
      and m.id between ${span(messageIds)[0]} and ${span(messageIds)[1]} and m.id = held.id
    returning m.id, m.channel, m.connection_id, m.source, m.state, m.send_at, m.execution_id, m.contact_id
  ), hooked as (${hookFacts.ofMovedMails(
    sql,
    { organizationId, bucket },
    sql`select id, state, source, contact_id from moved where channel = 'email'`,
  )}), back as (
    insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
    select ${organizationId}, ${bucket}, id, connection_id,
      ${priorityOf(sql)}, send_at
    from moved
    where state = 'queued' and source <> 'batch'
    on conflict do nothing
  )${
    batchId === null
      ? sql`, woken as (${outbox.wake(
          sql,
          organizationId,
          sql`select execution_id from moved where state = 'failed'`,
        )})`
      : sql``
  }, released as (
    delete from claims where organization_id = ${organizationId} and id = ${id}
  )
  update batches b
  set unknown = b.unknown - decided.rows,
    failed = b.failed + decided.failed,
    updated_at = clock_timestamp(),
    progressed_at = clock_timestamp()
  from (
    select count(*) as rows, count(*) filter (where state = 'failed') as failed
    from moved
  ) decided
  where b.organization_id = ${organizationId} and b.id = ${batchId} and decided.rows > 0`
}

/**
 * A claim's rows in one state, locked one by one in the order of their ids (see `recordResults`).
 */
const lockedRows = (sql: Sql, claim: Claim, state: 'claimed' | 'unknown') => sql`
  select m.*
  from (select unnest(${claim.messageIds}::uuid[]) as id order by 1) wanted
  cross join lateral (
    select id, source, execution_id
    from messages
    where organization_id = ${claim.organizationId} and bucket = ${claim.bucket}
      and id = wanted.id and claim_id = ${claim.id} and state = ${state}
    for update
  ) m`
