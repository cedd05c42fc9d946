import {
  type DeliveryState,
  HOOK_PRIORITY,
  type HookEventType,
} from '../../domain/hooks/hook-event.ts'
import { lowestId, type Uuid } from '../../runtime/ids.ts'
import type { HookDelivery } from '../../schemas/hooks/hook-delivery.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'

/** Rows of one statement of a long task. */
const PAGE = 5_000

const columns = (sql: Executor) => sql`
  d.id, 'evt_' || replace(d.event_id::text, '-', '') as event_id, d.type, d.state, d.attempts,
  d.tries, d.answer, d.occurred_at, d.priority = ${HOOK_PRIORITY.test} as is_test,
  (
    select q.due_at
    from hook_queue q
    where q.organization_id = d.organization_id and q.id = d.id
  ) as next_try_at`

export interface ToldDelivery {
  organizationId: Uuid
  id: Uuid
  endpointId: Uuid
  eventId: Uuid
  type: HookEventType
  occurredAt: string
  contactId: Uuid | null
  bucket: Uuid | null
  mailId: Uuid | null
  batchId: Uuid | null
  executionId: Uuid | null
  topicId: Uuid | null
  extra: Record<string, string> | null
  priority: number
  attempts: number
}

export const toldColumns = (sql: Executor) => sql`
  d.organization_id, d.id, d.endpoint_id, d.event_id, d.type, d.occurred_at, d.contact_id,
  d.bucket, d.mail_id, d.batch_id, d.execution_id, d.topic_id, d.extra, d.priority, d.attempts`

export async function findTold(
  sql: Executor,
  { organizationId, endpointId, id }: DeliveryKey,
): Promise<ToldDelivery | undefined> {
  const [delivery] = await sql<ToldDelivery[]>`
    select ${toldColumns(sql)}
    from hook_deliveries d
    where d.organization_id = ${organizationId} and d.id = ${id}
      and d.endpoint_id = ${endpointId}`
  return delivery
}

interface DeliveryPage {
  endpointId: Uuid
  state?: DeliveryState | undefined
  type?: HookEventType | undefined
  before: Uuid | undefined
  limit: number
}

export const list = (
  sql: Executor,
  organizationId: Uuid,
  { endpointId, state, type, before, limit }: DeliveryPage,
) => sql<HookDelivery[]>`
  select ${columns(sql)}
  from hook_deliveries d
  where d.organization_id = ${organizationId} and d.endpoint_id = ${endpointId}
    ${state === undefined ? sql`` : sql`and d.state = ${state}`}
    ${type === undefined ? sql`` : sql`and d.type = ${type}`}
    ${before === undefined ? sql`` : sql`and d.id < ${before}`}
  order by d.id desc
  limit ${limit}`

interface DeliveryKey {
  organizationId: Uuid
  endpointId: Uuid
  id: Uuid
}

export async function find(
  sql: Executor,
  { organizationId, endpointId, id }: DeliveryKey,
): Promise<HookDelivery | undefined> {
  const [delivery] = await sql<HookDelivery[]>`
    select ${columns(sql)}
    from hook_deliveries d
    where d.organization_id = ${organizationId} and d.id = ${id}
      and d.endpoint_id = ${endpointId}`
  return delivery
}

/** Writes a test event for one endpoint, whatever types it wants and whether it is enabled. */
export const createTest = (
  tx: Transaction,
  { organizationId, endpointId, id }: DeliveryKey,
  type: HookEventType,
) => tx`
  insert into hook_deliveries (organization_id, id, endpoint_id, event_id, type, occurred_at,
    priority, state, attempts, tries)
  values (${organizationId}, ${id}, ${endpointId}, gen_random_uuid(), ${type}, clock_timestamp(),
    ${HOOK_PRIORITY.test}, 'pending', 0, '[]')`

/**
 * Queues a delivery again that is over. The event keeps its id. Returns false if the delivery is
 * still pending.
 */
export async function replay(
  tx: Transaction,
  { organizationId, endpointId, id }: DeliveryKey,
): Promise<boolean> {
  const [row] = await tx<{ queued: number }[]>`
    with again as (
      update hook_deliveries
      set state = 'pending', attempts = 0
      where organization_id = ${organizationId} and id = ${id} and endpoint_id = ${endpointId}
        and state <> 'pending'
      returning organization_id, id, endpoint_id, priority
    ), queued as (
      insert into hook_queue (organization_id, id, endpoint_id, priority, due_at)
      select organization_id, id, endpoint_id, priority, now()
      from again
      on conflict (id) do nothing
    )
    select count(*) as queued from again`
  return (row?.queued ?? 0) > 0
}

interface ReplayedPeriod {
  organizationId: Uuid
  endpointId: Uuid
  /** Milliseconds since 1970. */
  since: number
  until: number
  states: readonly DeliveryState[]
  limit: number
}

/** Queues deliveries of a period again, oldest first, as imports are queued. Returns how many. */
export async function replayPeriod(
  tx: Transaction,
  { organizationId, endpointId, since, until, states, limit }: ReplayedPeriod,
): Promise<number> {
  const { count } = await tx`
    with wanted as materialized (
      select id
      from hook_deliveries
      where organization_id = ${organizationId} and endpoint_id = ${endpointId}
        and id >= ${lowestId(since)} and id < ${lowestId(until)}
        and state = any(${[...states]}::text[]) and priority <> ${HOOK_PRIORITY.test}
      order by id
      limit ${limit}
      for update
    ), again as (
      update hook_deliveries d
      set state = 'pending', attempts = 0
      from wanted
      where d.organization_id = ${organizationId} and d.endpoint_id = ${endpointId}
        and d.id = wanted.id
        and d.id >= ${lowestId(since)} and d.id < ${lowestId(until)}
      returning d.organization_id, d.id, d.endpoint_id
    )
    insert into hook_queue (organization_id, id, endpoint_id, priority, due_at)
    select organization_id, id, endpoint_id, ${HOOK_PRIORITY.import}, now()
    from again
    order by id
    on conflict (id) do nothing`
  return count
}

/** Empties deliveries about erased contacts of what no other row says, and of answers. */
export async function emptyOf(
  sql: Executor,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<void> {
  for (;;) {
    const { count } = await sql`
      update hook_deliveries d
      set extra = null, answer = null
      where d.organization_id = ${organizationId} and (d.endpoint_id, d.id) in (
        select endpoint_id, id
        from hook_deliveries
        where organization_id = ${organizationId}
          and contact_id = any(${[...contactIds]}::uuid[])
          and (extra is not null or answer is not null)
        limit ${PAGE}
      )`
    if (count < PAGE) return
  }
}

/** Tables of a day are dropped with what waits in them. */
export const deleteWaitingBefore = (sql: Executor, time: number) => sql`
  delete from hook_queue
  where id < ${lowestId(time)}`

/** Deletes what waits for endpoints that are gone, and old figures. Returns how many there were. */
export async function deleteOld(sql: Sql): Promise<number> {
  await sql`
    delete from hook_hours
    where hour < statement_timestamp() - interval '2 days'`
  const { count } = await sql`
    delete from hook_queue
    where id in (
      select q.id
      from hook_queue q
      where not exists (
        select from hook_endpoints e
        where e.organization_id = q.organization_id and e.id = q.endpoint_id
      )
      limit ${PAGE}
      for update skip locked
    )`
  return count
}
