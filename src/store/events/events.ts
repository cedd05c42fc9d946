import { randomBytes } from 'node:crypto'
import { bucketStart, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export interface NewEvent {
  contactId: Uuid
  event: {
    /** Without control characters, like `eventId`. */
    name: string
    /** JSON on one line. */
    propertiesJson: string
    eventId?: string | undefined
    /** ISO 8601. Undefined: now. */
    occurredAt?: string | undefined
  }
}

/** Limit of events in one statement: twelve bits of their ids count them. */
const MOST_AT_ONCE = 4_096
/** Longest time between a statement's look at a contact and its event's insertion. */
const JUST_ERASED_MS = 60_000

export interface StoredEvents {
  idOf: (position: number) => Uuid
  receivedAt: string
  /** The contacts are locked, since executions may follow from the events. */
  isLocked: boolean
}

/**
 * Stores the events. Undefined: one of the contacts does not exist, and nothing was stored.
 * `timely`: names from which executions may follow. If they may, the contacts are locked first, in
 * the order of their ids, like in transactions that register or end a wait. Otherwise no contact is
 * locked: when the events are stored, waits are held back (`holdEvents` is the other side) and the
 * caller asks once more (`mayFollow`).
 *
 * One statement, whose columns come as lines of text (arrays cost a third more): a set of events
 * costs little more than its insert. The time of receipt, which waits compare, is taken when the
 * contacts are locked, and the ids are made from it, so that no id is older than its event.
 */
export async function insert(
  tx: Transaction,
  organizationId: Uuid,
  events: readonly NewEvent[],
  timely: readonly string[],
): Promise<StoredEvents | undefined> {
  if (events.length > MOST_AT_ONCE) throw new RangeError('too many events for one statement')
  const ids = new Set<Uuid>()
  const knownNames = new Set<string>()
  for (const { contactId, event } of events) {
    ids.add(contactId)
    knownNames.add(event.name)
  }
  const contacts = tx`
    select id
    from contacts
    where organization_id = ${organizationId}
      and id = any(array(select contact_id from given))`
  const names = [...knownNames].sort()
  const [onlyName = ''] = names
  // The end of the ids: variant 10, then 60 random bits, the same for the whole statement.
  const tail = `8${randomBytes(8).toString('hex').slice(1)}`
  const [heldContacts] = await tx<
    { contacts: number; isLocked: boolean; start: string; receivedAt: string }[]
  >`
    with given as materialized (
      ${rows(tx, events, names.length > 1)}
    ), follows as materialized (
      select ${mayFollow(tx, organizationId, timely)} as may
    ), locked as materialized (
      ${contacts} and (select may from follows)
      order by id
      for no key update
    ), counted as (
      select (select count(*) from locked) + (
          select count(*)
          from (${contacts}) present
          where not (select may from follows)
        ) as contacts,
        clock_timestamp()::timestamptz(3) as received_at
    ), held as materialized (
      select contacts, received_at,
        lpad(to_hex((extract(epoch from received_at) * 1000)::bigint), 12, '0') || '7' as start
      from counted
    ), stored as (
      insert into events (organization_id, id, contact_id, name, properties, event_id,
        occurred_at, received_at)
      select ${organizationId}, (start || lpad(to_hex(n - 1), 3, '0') || ${tail})::uuid,
        contact_id, coalesce(name, ${onlyName}), coalesce(properties, '{}')::jsonb,
        event_id, coalesce(occurred_at::timestamptz, received_at), received_at
      from held
      cross join given
      where contacts = ${ids.size}
      returning 1
    ), named as (
      ${noteNames(tx, organizationId, names, ids.size)}
    )
    select contacts, may as is_locked, start, received_at,
      case
        when not may and rows > 0 then pg_advisory_xact_lock(${waitsLock(tx, organizationId)}) is null
      end as is_held
    from held
    cross join follows
    cross join (select count(*) as rows from stored) as all_stored`
  if (!heldContacts || heldContacts.contacts < ids.size) return undefined
  const { start, receivedAt, isLocked } = heldContacts
  return { idOf: (position) => idOf(start, position, tail), receivedAt, isLocked }
}

const rows = (tx: Transaction, events: readonly NewEvent[], hasNames: boolean) => tx`
  select contact_id::uuid, name, properties, event_id, occurred_at, n
  from rows from (
    string_to_table(${lines(events, ({ contactId }) => contactId)}, chr(10)),
    string_to_table(${lines(events, ({ event: { name } }) => (hasNames ? name : ''))}, chr(10), ''),
    string_to_table(${lines(events, ({ event }) => event.propertiesJson)}, chr(10)),
    string_to_table(${lines(events, ({ event: { eventId = '' } }) => eventId)}, chr(10), ''),
    string_to_table(${lines(events, ({ event: { occurredAt = '' } }) => occurredAt)}, chr(10), '')
  ) with ordinality as line (contact_id, name, properties, event_id, occurred_at, n)`

/** Records names of events, if all contacts exist, each at most once an hour. */
const noteNames = (
  tx: Transaction,
  organizationId: Uuid,
  names: readonly string[],
  contactCount: number,
) => tx`
  insert into event_names (organization_id, id, name)
  select ${organizationId}, named.id, named.name
  from held
  cross join unnest(${names.map(() => uuidv7())}::uuid[], ${[...names]}::text[]) as named (id, name)
  where contacts = ${contactCount}
    and not exists (
      select
      from event_names known
      where known.organization_id = ${organizationId} and known.name = named.name
        and known.last_received_at >= date_trunc('hour', received_at)
    )
  on conflict (organization_id, name) do update
  set last_received_at = greatest(event_names.last_received_at, excluded.last_received_at)`

/**
 * Returns a column as text with one value a line. Empty: no event has one. An empty line is null.
 */
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

function idOf(start: string, n: number, tail: string): Uuid {
  const counter = n.toString(16).padStart(3, '0')
  return `${start.slice(0, 8)}-${start.slice(8, 12)}-7${counter}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

export interface Consequences {
  /** An execution waits for one of these names, or flows end executions by one of them. */
  mayResume: boolean
  mayStart: boolean
}

const mayResume = (sql: Executor, organizationId: Uuid, names: readonly string[]) => sql`
  exists (
    select
    from waits
    where organization_id = ${organizationId} and event_name = any(${[...names]}::text[])
      and status = 'waiting' and kind = 'event'
  ) or exists (
    select
    from flow_versions
    where organization_id = ${organizationId} and exit_events <> '[]'
      and exit_events ?| ${[...names]}::text[]
  )`

const mayStart = (sql: Executor, organizationId: Uuid, names: readonly string[]) => sql`
  exists (
    select
    from flows
    where organization_id = ${organizationId} and enabled and trigger_type = 'event'
      and trigger_key = any(${[...names]}::text[])
  )`

/** Condition: a contact is being erased, and its events may not be stored meanwhile. */
const isErasing = (sql: Executor, organizationId: Uuid) => sql`
  exists (
    select
    from erasures
    where organization_id = ${organizationId} and id >= ${bucketStart(Date.now() - JUST_ERASED_MS)}
      and requested_at > statement_timestamp() - ${JUST_ERASED_MS} * interval '1 millisecond'
  )`

/**
 * Condition: executions may follow from events with these names. Repeated at the end of a
 * transaction without locked contacts: it sees everything before the end of `insert`, and later
 * transactions see the events.
 */
export const mayFollow = (sql: Executor, organizationId: Uuid, names: readonly string[]) =>
  sql`${mayResume(sql, organizationId, names)} or ${mayStart(sql, organizationId, names)}
    or ${isErasing(sql, organizationId)}`

/**
 * Returns the possible consequences of events with these names. Mostly there are none, and contacts
 * need no look-up. Called with locked contacts, so that no wait is registered and no execution
 * started for them meanwhile.
 */
export async function consequences(
  tx: Transaction,
  organizationId: Uuid,
  names: readonly string[],
): Promise<Consequences> {
  const [row] = await tx<Consequences[]>`
    select ${mayResume(tx, organizationId, names)} as may_resume,
      ${mayStart(tx, organizationId, names)} as may_start`
  return row ?? { mayResume: true, mayStart: true }
}

/**
 * Blocks the storing of events without locked contacts until the transaction ends. A transaction
 * that registers a wait calls this, then reads earlier events. Many may hold it at once.
 */
export const holdEvents = (tx: Transaction, organizationId: Uuid) => tx`
  select pg_advisory_xact_lock_shared(${waitsLock(tx, organizationId)})`

/** Lock between registering a wait and storing events without locked contacts. */
const waitsLock = (tx: Transaction, organizationId: Uuid) =>
  tx`hashtextextended('events and waits ' || ${organizationId}, 0)`

export interface EventName {
  id: Uuid
  name: string
  firstReceivedAt: string
  lastReceivedAt: string
}

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
