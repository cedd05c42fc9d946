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
export type ExecutionKey = {
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
 * Takes up to `limit` due promises for `leaseMs`: a relay that dies gives them back by doing
 * nothing. `skip locked` lets several relays share the work without waiting for each other.
 */
export const take = (sql: Sql, limit: number, leaseMs: number) => sql<Taken[]>`
  update outbox
  set available_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
    attempts = attempts + 1
  where (created_on, position) in (
    select created_on, position
    from outbox
    where done_at is null and available_at <= clock_timestamp()
    order by position
    limit ${limit}
    for update skip locked
  )
  returning created_on, position, organization_id, kind, payload, attempts, request_id`

export const done = (
  sql: Sql,
  { createdOn, position }: Pick<Taken, 'createdOn' | 'position'>,
) => sql`
  update outbox
  set done_at = clock_timestamp(), last_error = null
  where created_on = ${createdOn}::date and position = ${position}`

/** Leaves the promise for a later try and says why, so that an operator can see what is stuck. */
export const postpone = (
  sql: Sql,
  { createdOn, position }: Pick<Taken, 'createdOn' | 'position'>,
  error: string,
  waitMs: number,
) => sql`
  update outbox
  set available_at = clock_timestamp() + ${waitMs} * interval '1 millisecond',
    last_error = ${error.slice(0, 500)}
  where created_on = ${createdOn}::date and position = ${position}`
