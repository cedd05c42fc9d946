import type { Executor, Sql } from './sql.ts'

/** What can be promised to Temporal. The relay in src/loops keeps it. */
export type Promised =
  | { kind: 'start_batch'; payload: { batchId: string; attempt: number } }
  | { kind: 'cancel_batch'; payload: { batchId: string; attempt: number } }
  | { kind: 'verify_connection'; payload: { connectionId: string } }
  | { kind: 'start_import'; payload: { importId: string } }
  | { kind: 'send_notice'; payload: { noticeId: string } }
  | { kind: 'start_confirmation'; payload: ConfirmationKey }
  /** The confirmation is no longer awaited: its workflow need not wait for its timers. */
  | { kind: 'end_confirmation'; payload: ConfirmationKey }
  | { kind: 'start_cohort'; payload: CohortKey }
  | { kind: 'start_erasure'; payload: { erasureId: string } }
  | { kind: 'start_execution'; payload: ExecutionKey }
  /** What the execution waits for may have come. */
  | { kind: 'wake_execution'; payload: { executionId: string } }
  /** The execution is over: its run need not go on. */
  | { kind: 'cancel_execution'; payload: { workflowId: string } }
  /** The flow's schedule in Temporal may no longer be what the flow says. */
  | { kind: 'sync_schedule'; payload: { flowId: string } }

/** One attempt of an execution; flow and contact are what operators search by. */
type ExecutionKey = {
  executionId: string
  attempt: number
  flowId: string
  contactId: string
}

/** One confirmation that is asked for: a later one of the same pair has a higher generation. */
export type ConfirmationKey = { contactId: string; topicId: string; generation: number }

/**
 * The confirmations that one page of an import asks for: the subscriptions of this cohort. One
 * promise for all of them, in the transaction that writes the last.
 */
type CohortKey = { cohort: string; importId: string; page: number }

export type Taken = Promised & {
  createdOn: string
  position: number
  organizationId: string
  attempts: number
  requestId: string | null
}

/**
 * Writes a promise in the caller's transaction: it is kept exactly if the transaction commits.
 * `requestId` is that of the API call that caused it, where one did.
 */
export const put = (
  sql: Executor,
  organizationId: string,
  { kind, payload }: Promised,
  requestId: string | undefined,
) => sql`
  insert into outbox (organization_id, kind, payload, request_id)
  values (${organizationId}, ${kind}, ${sql.json(payload)}, ${requestId ?? null})`

/** Many promises at once, in their order. */
export async function putAll(
  sql: Executor,
  organizationId: string,
  promises: readonly Promised[],
  requestId: string | undefined,
): Promise<void> {
  if (promises.length === 0) return
  await sql`
    insert into outbox (organization_id, kind, payload, request_id)
    select ${organizationId}, kind, payload, ${requestId ?? null}
    from rows from (jsonb_to_recordset(${sql.json([...promises])}) as (kind text, payload jsonb))
      with ordinality as promise (kind, payload, place)
    order by place`
}

/**
 * Promises to wake executions, as a part of the statement that decides what they wait for. `rows`
 * selects their `execution_id`s; null ones wait for nothing.
 */
export const wake = (sql: Executor, organizationId: string, rows: ReturnType<Executor>) => sql`
  insert into outbox (organization_id, kind, payload)
  select ${organizationId}::uuid, 'wake_execution',
    jsonb_build_object('executionId', decided.execution_id)
  from (${rows}) decided
  where decided.execution_id is not null`

/** A million executions that start at once delay nothing else: their promises go their own way. */
export const LANES = ['executions', 'others'] as const
export type OutboxLane = (typeof LANES)[number]

/**
 * Takes up to `limit` due promises of a lane for `leaseMs`: a relay that dies gives them back by
 * doing nothing. `skip locked` lets several relays share the work without waiting for each other.
 * In the order in which they became due, which is that of an index: what is put off for later is
 * not even looked at. Whether anything is due is asked first: the function is planned at every
 * call, which costs thirty times that question, many times a second.
 */
export function take(sql: Sql, lane: OutboxLane, limit: number, leaseMs: number) {
  const number = lane === 'executions' ? 1 : 0
  return sql<Taken[]>`
    select created_on, position, organization_id, kind, payload, attempts, request_id
    from take_promises(${number}, ${limit}, ${leaseMs})
    where exists (
      select
      from outbox
      where done_at is null and case when kind = 'start_execution' then 1 else 0 end = ${number}
        and available_at <= now()
    )`
}

type Place = Pick<Taken, 'createdOn' | 'position'>

/** Those of some rows; the days alone say which partitions they are in. */
const among = (sql: Executor, rows: readonly Place[]) => sql`
  outbox.created_on = any(${[...new Set(rows.map(({ createdOn }) => createdOn))]}::date[])
    and outbox.created_on = row.created_on and outbox.position = row.position`

export async function done(sql: Sql, rows: readonly Place[]): Promise<void> {
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

/** Leaves promises for a later try and says why, so that an operator can see what is stuck. */
export async function postpone(
  sql: Sql,
  rows: readonly (Place & { error: string; waitMs: number })[],
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

/** How many promises are due and not kept yet; counted to `most`. */
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

/** What a start is of, by the name it has in the promise. */
const STARTED = { start_execution: 'executionId', start_batch: 'batchId' } as const

/** Those of the executions or batches whose start is promised still. */
export async function listPromised(
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
