import { randomBytes } from 'node:crypto'
import { type Uuid, uuidv7 } from '../ids.ts'
import type { Executor, Transaction } from './sql.ts'

export interface NewEvent {
  contactId: Uuid
  event: {
    /** No control characters; so `eventId`. */
    name: string
    /** JSON on one line. */
    propertiesJson: string
    eventId?: string | undefined
    /** ISO time; undefined: now. */
    occurredAt?: string | undefined
  }
}

/** Events of one statement: twelve bits of their ids count them. */
const MOST_AT_ONCE = 4_096

export interface Stored {
  /** In the order of the events. */
  ids: Uuid[]
  receivedAt: string
}

/**
 * Locks the events' contacts, in the order of their ids, and then stores the events; undefined when
 * one of the contacts is not there, and then nothing is stored. One statement, whose columns come
 * as lines of text (arrays cost a third more): a set of events costs little more than its insert.
 *
 * The contact's row is what whoever registers a wait locks too. The time of receipt, which waits
 * compare, is taken when all locks are held, and the ids are made of it: an id never says that an
 * event came before it did.
 */
export async function insert(
  tx: Transaction,
  organizationId: Uuid,
  events: readonly NewEvent[],
): Promise<Stored | undefined> {
  if (events.length > MOST_AT_ONCE) throw new RangeError('too many events for one statement')
  const contactIds = [...new Set(events.map(({ contactId }) => contactId))].sort()
  const names = [...new Set(events.map(({ event }) => event.name))].sort()
  const [onlyName = ''] = names
  // The end of the ids: variant 10, then 60 random bits, the same for the whole statement.
  const tail = `8${randomBytes(8).toString('hex').slice(1)}`
  const [held] = await tx<{ contacts: number; start: string; receivedAt: string }[]>`
    with locked as materialized (
      select id
      from contacts
      where organization_id = ${organizationId}
        and id = any(${`{${contactIds.join()}}`}::text::uuid[])
      order by id
      for no key update
    ), counted as (
      select count(*) as contacts, clock_timestamp()::timestamptz(3) as received_at
      from locked
    ), held as materialized (
      select contacts, received_at,
        lpad(to_hex((extract(epoch from received_at) * 1000)::bigint), 12, '0') || '7' as start
      from counted
    ), stored as (
      insert into events (organization_id, id, contact_id, name, properties, event_id,
        occurred_at, received_at)
      select ${organizationId}, (start || lpad(to_hex(n - 1), 3, '0') || ${tail})::uuid,
        contact_id::uuid, coalesce(name, ${onlyName}), coalesce(properties, '{}')::jsonb,
        event_id, coalesce(occurred_at::timestamptz, received_at), received_at
      from held
      cross join rows from (
        string_to_table(${lines(events, ({ contactId }) => contactId)}, chr(10)),
        string_to_table(${lines(events, ({ event: { name } }) => (names.length > 1 ? name : ''))}, chr(10), ''),
        string_to_table(${lines(events, ({ event }) => event.propertiesJson)}, chr(10)),
        string_to_table(${lines(events, ({ event: { eventId = '' } }) => eventId)}, chr(10), ''),
        string_to_table(${lines(events, ({ event: { occurredAt = '' } }) => occurredAt)}, chr(10), '')
      ) with ordinality as given (contact_id, name, properties, event_id, occurred_at, n)
      where contacts = ${contactIds.length}
    ), named as (
      insert into event_names (organization_id, id, name)
      select ${organizationId}, given.id, given.name
      from held
      cross join unnest(${names.map(() => uuidv7())}::uuid[], ${names}::text[]) as given (id, name)
      where contacts = ${contactIds.length}
        and not exists (
          select
          from event_names known
          where known.organization_id = ${organizationId} and known.name = given.name
            and known.last_received_at >= date_trunc('hour', received_at)
        )
      on conflict (organization_id, name) do update
      set last_received_at = greatest(event_names.last_received_at, excluded.last_received_at)
    )
    select contacts, start, received_at
    from held`
  if (!held || held.contacts < contactIds.length) return undefined
  const { start, receivedAt } = held
  return { ids: events.map((_, n) => idOf(start, n, tail)), receivedAt }
}

/** A column, a value a line; the empty text when no event has one. An empty line is null. */
function lines(events: readonly NewEvent[], of: (event: NewEvent) => string): string {
  let text = ''
  let isEmpty = true
  for (const event of events) {
    const value = of(event)
    if (value !== '') isEmpty = false
    text += `${value}\n`
  }
  return isEmpty ? '' : text.slice(0, -1)
}

/** The arithmetic of the statement above. */
function idOf(start: string, n: number, tail: string): Uuid {
  const counter = n.toString(16).padStart(3, '0')
  return `${start.slice(0, 8)}-${start.slice(8, 12)}-7${counter}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

/** Those of the contacts that are there. */
export async function present(
  sql: Executor,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<Set<Uuid>> {
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId} and id = any(${[...contactIds]}::uuid[])`
  return new Set(rows.map(({ id }) => id))
}

export interface Consequences {
  /** An execution waits for one of these names, or there are flows whose executions one ends. */
  mayResume: boolean
  /** An enabled flow starts with one of these names. */
  mayStart: boolean
}

/**
 * What can follow from events of these names at all: mostly nothing, and then nobody looks for each
 * contact. Asked while their contacts are locked: nobody registers a wait or starts an execution
 * for them in the meantime.
 */
export async function consequences(
  tx: Transaction,
  organizationId: Uuid,
  names: readonly string[],
): Promise<Consequences> {
  const given = [...names]
  const [row] = await tx<Consequences[]>`
    select exists (
        select
        from waits
        where organization_id = ${organizationId} and event_name = any(${given}::text[])
          and status = 'waiting' and kind = 'event'
      ) or exists (
        select
        from flow_versions
        where organization_id = ${organizationId} and exit_events <> '[]'
          and exit_events ?| ${given}::text[]
      ) as may_resume,
      exists (
        select
        from flows
        where organization_id = ${organizationId} and enabled and trigger_type = 'event'
          and trigger_key = any(${given}::text[])
      ) as may_start`
  return row ?? { mayResume: true, mayStart: true }
}

export interface EventName {
  id: Uuid
  name: string
  firstReceivedAt: string
  lastReceivedAt: string
}

/** Names that events had, the newest first. */
export const listNames = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit }: { before: Uuid | undefined; limit: number },
) => sql<EventName[]>`
  select id, name, first_received_at, last_received_at
  from event_names
  where organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and id < ${before}`}
  order by id desc
  limit ${limit}`
