import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Sql, Transaction } from '../db/sql.ts'
import { FIRST_TURN } from '../db/turns.ts'
import type { WaitingDays } from './waiting-days.ts'

export interface InboundEvent {
  organizationId: Uuid
  connectionId: Uuid
  /** Id of the envelope. The same id again is the same event. */
  envelopeId: string
  /** The whole envelope as JSON text. */
  body: string
  /** Reason for which it can never be applied, although it is readable. */
  ignored?: string
  /** Reason for which it is unreadable. Either reason keeps the applier away for good. */
  error?: string
}

/**
 * Stores events unchanged, all in one statement. Returns in their order whether each is new. If an
 * id occurs twice, its first event is new. Cross-tenant: the secret of each event was checked
 * before.
 *
 * Rows are written in the order of their ids: the same event may be in two sets at once, and two
 * sets that wait for each other's rows would both fail.
 */
export async function store(
  sql: Executor,
  receivedEvents: readonly InboundEvent[],
): Promise<boolean[]> {
  const events = receivedEvents.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
  const newRows = await sql<{ connectionId: Uuid; envelopeId: string }[]>`
    select connection_id, envelope_id
    from store_inbound_events(
      ${events.map((event) => event.organizationId)}::uuid[],
      ${events.map((event) => event.connectionId)}::uuid[],
      ${events.map((event) => event.envelopeId)}::text[],
      ${events.map((event) => event.body)}::text[],
      ${events.map((event) => event.error ?? null)}::text[],
      ${events.map((event) => event.ignored ?? null)}::text[]
    )`
  const newKeys = new Set(newRows.map(key))
  return receivedEvents.map((event) => newKeys.delete(key(event)))
}

const key = ({ connectionId, envelopeId }: { connectionId: Uuid; envelopeId: string }) =>
  `${connectionId} ${envelopeId}`

/** Stores events again that were applied to the wrong mail. */
export const putBack = (tx: Transaction, events: readonly InboundEvent[]) => tx`
  insert into inbound_events (organization_id, connection_id, envelope_id, body)
  select organization_id, connection_id, envelope_id, body::jsonb
  from unnest(
    ${events.map((event) => event.organizationId)}::uuid[],
    ${events.map((event) => event.connectionId)}::uuid[],
    ${events.map((event) => event.envelopeId)}::text[],
    ${events.map((event) => event.body)}::text[]
  ) as e (organization_id, connection_id, envelope_id, body)`

export interface WaitingEvent {
  receivedOn: string
  position: number
  organizationId: string
  connectionId: string
  /** JSON. Events are read one by one: a parsed one takes many times the memory of its text. */
  body: string
  receivedAt: string
  /** The event was looked at before. */
  isPutOff: boolean
}

/** Limit of the texts of one set, without its last event: 8 KB for each of 500. */
const MOST_BYTES = 4 * 1024 * 1024

/** Returns whether an event waits, or is to be looked at again now. */
export async function areDue(sql: Sql, { first, last }: WaitingDays): Promise<boolean> {
  const [row] = await sql<{ are: boolean }[]>`
    select exists (
        select
        from inbound_events
        where applied_at is null and look_at is null
          and received_on between ${first}::date and ${last}::date
      ) or exists (
        select
        from inbound_events
        where applied_at is null and look_at is not null and look_at <= statement_timestamp()
          and received_on between ${first}::date and ${last}::date
      ) as are`
  return row?.are === true
}

export const countWaiting = async (sql: Sql): Promise<number> => {
  const [row] = await sql<{ waiting: number }[]>`
    select count(*) as waiting
    from inbound_events
    where applied_at is null`
  return row?.waiting ?? 0
}

/**
 * Locks waiting events: up to `limit`, fewer if they are large, at least one. Organizations take
 * turns, beginning after `after`. Each gets the same number of places, for its oldest events first,
 * so that a million events of one delay no other. Free places go to organizations with more events.
 * Other appliers skip locked events.
 *
 * One look at an index finds each organization. Then events are read one by one, so that Postgres
 * makes text of the taken ones only, which may take a second for a large one.
 */
export const lockWaiting = (
  tx: Transaction,
  limit: number,
  { first, last }: WaitingDays,
  after: Uuid,
) => {
  const waits = tx`applied_at is null and look_at is null
    and received_on between ${first}::date and ${last}::date`
  /** Finds the next organization with waiting events. */
  const next = (than: Part) => tx`
    select organization_id
    from inbound_events
    where ${waits} and organization_id > ${than}
    order by organization_id
    limit 1`
  return tx<WaitingEvent[]>`
  with recursive later as (
    select organization_id
    from (${next(tx`${after}::uuid`)}) first
    union all
    select following.organization_id
    from later
    cross join lateral (${next(tx`later.organization_id`)}) following
  ), earlier as (
    select organization_id
    from (${next(tx`${FIRST_TURN}::uuid`)}) first
    where organization_id <= ${after}
    union all
    select following.organization_id
    from earlier
    cross join lateral (${next(tx`earlier.organization_id`)}) following
    where following.organization_id <= ${after}
  ), served as materialized (
    select organization_id
    from (select * from later union all select * from earlier) waiting
    limit ${limit}
  ), shares as materialized (
    select greatest(1, ${limit}::integer / greatest(1, count(*))) as share
    from served
  ), put_off as materialized (
    select received_on, position, organization_id, connection_id, body, received_at,
      true as is_put_off
    from inbound_events
    where applied_at is null and look_at is not null and look_at <= statement_timestamp()
      and received_on between ${first}::date and ${last}::date
    order by look_at
    limit ${limit}
    for update skip locked
  ), fresh as materialized (
    select event.*
    from served
    cross join lateral (
      select received_on, position, organization_id, connection_id, body, received_at,
        false as is_put_off
      from inbound_events
      where ${waits} and organization_id = served.organization_id
      order by position
      limit (select share from shares)
      for update skip locked
    ) event
  ), crowded as materialized (
    select organization_id,
      greatest(0, ceil(
        (select ${limit}::integer - count(*) from fresh)::numeric / count(*) over ()
      ))::integer as places
    from fresh
    group by organization_id
    having count(*) = (select share from shares)
  ), further as materialized (
    select event.*
    from crowded
    cross join lateral (
      select received_on, position, organization_id, connection_id, body, received_at,
        false as is_put_off
      from inbound_events
      where ${waits} and organization_id = crowded.organization_id
      order by position
      offset (select share from shares)
      limit crowded.places
      for update skip locked
    ) event
  ), numbered as materialized (
    select waiting.*, row_number() over (order by turn, position) as place
    from (
      select *, row_number() over (partition by organization_id order by position) as turn
      from (
        select * from put_off union all select * from fresh union all select * from further
      ) either
    ) waiting
    order by turn, position
    limit ${limit}
  ), taken as (
    select place, received_on, position, organization_id, connection_id, body::text as said,
      received_at, is_put_off, 0::bigint as bytes_before
    from numbered
    where place = 1
    union all
    select n.place, n.received_on, n.position, n.organization_id, n.connection_id, n.body::text,
      n.received_at, n.is_put_off, t.bytes_before + octet_length(t.said)
    from taken t
    join numbered n on n.place = t.place + 1
    where t.bytes_before + octet_length(t.said) < ${MOST_BYTES}
  )
  select received_on, position, organization_id, connection_id, said as body, received_at,
    is_put_off
  from taken
  order by position`
}

/** Days of events as plain values: the planner then leaves out the other days' partitions. */
const daysOf = (events: readonly WaitingEvent[]): string[] => [
  ...new Set(events.map(({ receivedOn }) => receivedOn)),
]

const PUT_OFF_MS = 500

/**
 * Puts events off for `waitMs`. The default is for events that may be about a mail whose call is
 * still open.
 */
export const putOff = (sql: Executor, events: readonly WaitingEvent[], waitMs = PUT_OFF_MS) => sql`
  update inbound_events e
  set look_at = clock_timestamp() + ${waitMs} * interval '1 millisecond'
  from unnest(
    ${events.map((event) => event.receivedOn)}::date[],
    ${events.map((event) => event.position)}::bigint[]
  ) as a (received_on, position)
  where e.received_on = a.received_on and e.position = a.position
    and e.received_on = any(${daysOf(events)}::date[])`

/**
 * Marks events as applied and deletes their contents, which name people: what counts of them is in
 * the mail's own rows. The envelope's id stays: the same event is known when it comes again.
 */
export const markApplied = (tx: Transaction, events: WaitingEvent[]) => tx`
  update inbound_events e
  set applied_at = clock_timestamp(), body = '{}'
  from unnest(
    ${events.map((event) => event.receivedOn)}::date[],
    ${events.map((event) => event.position)}::bigint[]
  ) as a (received_on, position)
  where e.received_on = a.received_on and e.position = a.position
    and e.received_on = any(${daysOf(events)}::date[])`

/** Marks events without effect, each with the reason. Their contents are kept. */
export const markIgnored = (
  tx: Transaction,
  ignored: readonly { event: WaitingEvent; reason: string }[],
) => tx`
  update inbound_events e
  set applied_at = clock_timestamp(), ignored = a.reason
  from unnest(
    ${ignored.map(({ event }) => event.receivedOn)}::date[],
    ${ignored.map(({ event }) => event.position)}::bigint[],
    ${ignored.map(({ reason }) => reason)}::text[]
  ) as a (received_on, position, reason)
  where e.received_on = a.received_on and e.position = a.position
    and e.received_on = any(${daysOf(ignored.map(({ event }) => event))}::date[])`

/** Deletes events that are not applied and exceed the room of their connections. */
export const remove = (sql: Executor, events: readonly WaitingEvent[]) => sql`
  delete from inbound_events e
  using unnest(
    ${events.map((event) => event.receivedOn)}::date[],
    ${events.map((event) => event.position)}::bigint[]
  ) as a (received_on, position)
  where e.received_on = a.received_on and e.position = a.position and e.applied_at is null
    and e.received_on = any(${daysOf(events)}::date[])`

/**
 * Sets an event aside that cannot be applied, with the reason, so that it does not stop others.
 * Does nothing if another applier has applied it meanwhile.
 */
export const setAside = (sql: Sql, { receivedOn, position }: WaitingEvent, error: string) => sql`
  update inbound_events
  set applied_at = clock_timestamp(), error = ${error.slice(0, 500)}
  where received_on = ${receivedOn}::date and position = ${position} and applied_at is null`
