import type { Confirmation, StartPayloads } from '../../../workflows/contract.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { lastTurn } from '../db/turns.ts'
import type { Executor, Sql } from '../db/sql.ts'

/** A requested confirmation. Later ones of the same pair have a higher generation. */
export type ConfirmationKey = Confirmation

/**
 * Payloads by kind. `STARTS` has the kinds that start workflows, and `src/loops/deliveries.ts`
 * delivers the others.
 */
export interface OutboxPayloads extends StartPayloads {
  cancel_batch: { batchId: string; attempt: number }
  /** The batch was resumed or changed, so that its run may wait for something else. */
  wake_batch: { batchId: string; attempt: number }
  /** The confirmation is no longer awaited, so its workflow need not wait for its timers. */
  end_confirmation: ConfirmationKey
  /** The event that the execution waits for may have arrived. */
  wake_execution: { executionId: string }
  /** The execution has ended, so its run need not go on. */
  cancel_execution: { workflowId: string }
  /** The flow's schedule in Temporal may be outdated. */
  sync_schedule: { flowId: string }
}

export type OutboxMessage<Kind extends keyof OutboxPayloads = keyof OutboxPayloads> = {
  [K in Kind]: { kind: K; payload: OutboxPayloads[K] }
}[Kind]

export type LeasedMessage = OutboxMessage & {
  createdOn: string
  position: number
  organizationId: string
  attempts: number
  requestId: string | null
}

/**
 * Writes a message in the caller's transaction, so that it is delivered if and only if the
 * transaction commits. `requestId` is that of the causing API call, if any.
 */
export const put = (
  sql: Executor,
  organizationId: string,
  { kind, payload }: OutboxMessage,
  requestId: string | undefined,
) => sql`
  insert into outbox (organization_id, kind, payload, request_id)
  values (${organizationId}, ${kind}, ${sql.json(payload)}, ${requestId ?? null})`

export async function putAll(
  sql: Executor,
  organizationId: string,
  messages: readonly OutboxMessage[],
  requestId: string | undefined,
): Promise<void> {
  if (messages.length === 0) return
  await sql`
    insert into outbox (organization_id, kind, payload, request_id)
    select ${organizationId}, kind, payload, ${requestId ?? null}
    from rows from (jsonb_to_recordset(${sql.json([...messages])}) as (kind text, payload jsonb))
      with ordinality as message (kind, payload, place)
    order by place`
}

export async function putEach(
  sql: Executor,
  rows: readonly { organizationId: string; message: OutboxMessage }[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into outbox (organization_id, kind, payload)
    select organization_id, kind, payload
    from jsonb_to_recordset(${sql.json(
      rows.map(({ organizationId, message }) => ({ organizationId, ...message })),
    )}) as message ("organizationId" uuid, kind text, payload jsonb)
    cross join lateral (select "organizationId" as organization_id) named`
}

/**
 * Writes messages that wake executions, as a part of the statement that decides what they wait for.
 * `rows` selects their `execution_id`s. Null ones are skipped.
 */
export const wake = (sql: Executor, organizationId: string, rows: ReturnType<Executor>) =>
  wakeEach(
    sql,
    sql`
    select ${organizationId}::uuid as organization_id, execution_id
    from (${rows}) of_one`,
  )

export const wakeEach = (sql: Executor, rows: ReturnType<Executor>) => sql`
  insert into outbox (organization_id, kind, payload)
  select decided.organization_id, 'wake_execution',
    jsonb_build_object('executionId', decided.execution_id)
  from (${rows}) decided
  where decided.execution_id is not null`

/**
 * A million executions that start at once delay nothing else, nor do a million that wake: their
 * messages have lanes of their own.
 */
export const LANES = ['executions', 'wakes', 'others'] as const
export type OutboxLane = (typeof LANES)[number]

/** Numbers of the lanes in the function and its index (migration 0116). */
const LANE_NUMBERS: Record<OutboxLane, number> = { executions: 1, wakes: 2, others: 0 }

/** Time for which the days with open messages are cached. */
const KNOWN_MS = 60_000
const openSince = new WeakMap<Sql, { first: string; until: number }>()

/**
 * Returns the first day with an open message, so that partitions of earlier days are not read. It
 * is looked up once a minute for each pool, by one index look-up for each day. Later messages have
 * no earlier day but yesterday.
 */
async function findFirstOpenDay(sql: Sql): Promise<string> {
  const cachedDay = openSince.get(sql)
  if (cachedDay && performance.now() < cachedDay.until) return cachedDay.first
  const [days] = await sql<{ first: string }[]>`
    select coalesce(min(day.on), current_date) - 1 as first
    from (
      select created_on as on
      from outbox
      order by created_on, position
      limit 1
    ) written
    cross join lateral (
      select generate_series(written.on, current_date, interval '1 day')::date as on
    ) day
    cross join lateral (
      select
      from outbox
      where created_on = day.on and done_at is null
      limit 1
    ) open`
  if (!days) throw new Error('an aggregate has one row')
  openSince.set(sql, { first: days.first, until: performance.now() + KNOWN_MS })
  return days.first
}

/** Up to `limit` messages of a lane for `leaseMs`. */
interface Lease {
  limit: number
  leaseMs: number
  after: Uuid
}

/**
 * Leases due messages of a lane. Leases of a dead relay are due again after `leaseMs`. `skip
 * locked` lets several relays share the work without waiting for each other. Organizations take
 * turns, each with the same number of messages, in the order in which they became due. An index
 * look-up first checks whether anything is due, since the function costs thirty times as much, many
 * times a second. Also returns the organization that was served last.
 */
export async function lease(
  sql: Sql,
  lane: OutboxLane,
  { limit, leaseMs, after }: Lease,
): Promise<{ messages: LeasedMessage[]; after: Uuid }> {
  const first = await findFirstOpenDay(sql)
  const messages = await sql<LeasedMessage[]>`
    select created_on, position, organization_id, kind, payload, attempts, request_id
    from lease_outbox_turns(${LANE_NUMBERS[lane]}, ${limit}, ${leaseMs}, ${after}, ${first}::date,
      current_date + 1)
    where exists (
      select
      from outbox
      where done_at is null
        and case when kind = 'start_execution' then 1 else 0 end = ${lane === 'executions' ? 1 : 0}
        and available_at <= now()
        and created_on between ${first}::date and current_date + 1
    )`
  return { messages, after: lastTurn(messages, after) }
}

type MessageKey = Pick<LeasedMessage, 'createdOn' | 'position'>

/** Selects messages by key. The days alone name their partitions. */
const among = (sql: Executor, rows: readonly MessageKey[]) => sql`
  outbox.created_on = any(${[...new Set(rows.map(({ createdOn }) => createdOn))]}::date[])
    and outbox.created_on = row.created_on and outbox.position = row.position`

export async function markDelivered(sql: Sql, rows: readonly MessageKey[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update outbox
    set done_at = clock_timestamp(), last_error = null
    from unnest(
      ${rows.map(({ createdOn }) => createdOn)}::date[],
      ${rows.map(({ position }) => position)}::bigint[]
    ) as row (created_on, position)
    where ${among(sql, rows)}`
}

/** Leaves messages for a later try and records why, so that operators see what is stuck. */
export async function postpone(
  sql: Sql,
  rows: readonly (MessageKey & { error: string; waitMs: number })[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update outbox
    set available_at = clock_timestamp() + row.wait_ms * interval '1 millisecond',
      last_error = row.error
    from unnest(
      ${rows.map(({ createdOn }) => createdOn)}::date[],
      ${rows.map(({ position }) => position)}::bigint[],
      ${rows.map(({ waitMs }) => waitMs)}::integer[],
      ${rows.map(({ error }) => error.slice(0, 500))}::text[]
    ) as row (created_on, position, wait_ms, error)
    where ${among(sql, rows)}`
}

export async function countWaiting(sql: Executor, most: number): Promise<number> {
  const [row] = await sql<{ waiting: number }[]>`
    select count(*)::integer as waiting
    from (
      select
      from outbox
      where done_at is null
      limit ${most}
    ) found`
  return row?.waiting ?? 0
}

const STARTED = { start_execution: 'executionId', start_batch: 'batchId' } as const

export async function listPending(
  sql: Executor,
  kind: keyof typeof STARTED,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select payload ->> ${STARTED[kind]} as id
    from outbox
    where done_at is null and kind = ${kind}
      and payload ->> ${STARTED[kind]} = any(${[...ids]}::text[])`
  return new Set(rows.map(({ id }) => id))
}

/** Messages that are not delivered yet, or others with the same content. */
export async function listWaiting<Kind extends keyof OutboxPayloads>(
  sql: Executor,
  messages: readonly OutboxMessage<Kind>[],
): Promise<OutboxMessage<Kind>[]> {
  if (messages.length === 0) return []
  return sql<OutboxMessage<Kind>[]>`
    select distinct kind, payload
    from outbox
    where done_at is null and kind = any(${messages.map(({ kind }) => kind)}::text[])
      and (kind, payload) in (
        select kind, payload
        from jsonb_to_recordset(${sql.json([...messages])}) as message (kind text, payload jsonb)
      )`
}
