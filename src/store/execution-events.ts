import { bucketStart, type Uuid } from '../ids.ts'
import type { Executor, Transaction } from './sql.ts'

/** A stored event, as executions know it. */
export interface ReceivedEvent {
  id: Uuid
  name: string
  properties: Record<string, unknown>
  receivedAt: string
}

/**
 * The event that `event.properties.<path>` speaks of in an execution: the last one that a wait of
 * it took, else the one that started it. Undefined: there is none, or it is not kept any more.
 */
export async function latestEvent(
  sql: Executor,
  organizationId: Uuid,
  executionId: Uuid,
): Promise<ReceivedEvent | undefined> {
  const [latest] = await sql<{ id: Uuid | null }[]>`
    select coalesce(
      (
        select matched_event_id
        from waits
        where organization_id = ${organizationId} and execution_id = ${executionId}
          and status = 'matched' and matched_event_id is not null
        order by matched_at desc
        limit 1
      ),
      (
        select event_id
        from executions
        where organization_id = ${organizationId} and id = ${executionId}
      )
    ) as id`
  return typeof latest?.id === 'string' ? findEvent(sql, organizationId, latest.id) : undefined
}

export async function findEvent(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<ReceivedEvent | undefined> {
  const [event] = await sql<ReceivedEvent[]>`
    select id, name, properties, received_at
    from events
    where organization_id = ${organizationId} and id = ${id}`
  return event
}

interface Wanted {
  executionId: Uuid
  /** The visit that waits, and the event that started its execution. */
  stepId: string
  visit: number
  startedBy: Uuid | null
  contactId: Uuid
  name: string
  /** When the execution entered the step before; ISO, as `now`, by the clock of Postgres. */
  since: string
  now: string
}

/** An event's id is older than its arrival by the wait for its contact, and by another clock. */
const MARGIN_MS = 600_000
const DAY_MS = 86_400_000
/** Older ones resume nothing. */
const OLDEST = '72 hours'
/** Events of one look, and of all looks of one wait: of more the first are asked. */
const PAGE = 100
const MOST_LOOKED_AT = 5_000

/**
 * The earliest event of a contact that fits, received since the execution entered the step before
 * its wait and not taken by an earlier wait. What counts for the first step begins with the event
 * that started the execution: others that came in one set with it, after it, count. The caller has
 * locked the contact's row and holds events back (`holdEvents`): what comes later finds the wait.
 */
export async function earliestEvent(
  tx: Transaction,
  organizationId: Uuid,
  wanted: Wanted,
  fits: (event: ReceivedEvent) => boolean,
): Promise<ReceivedEvent | undefined> {
  const started = await findStart(tx, organizationId, wanted)
  const since = started?.isFirst ? started.receivedAt : wanted.since
  let after = started ?? { receivedAt: since, id: '00000000-0000-0000-0000-000000000000' }
  for (let seen = 0; seen < MOST_LOOKED_AT; seen += PAGE) {
    const page = await listEvents(tx, organizationId, { ...wanted, since, after })
    const found = page.find((event) => fits(event))
    const last = page.at(-1)
    if (found || !last || page.length < PAGE) return found
    after = last
  }
  return undefined
}

type Place = Pick<ReceivedEvent, 'id' | 'receivedAt'>

/** The event that started the execution, if it is kept, and whether this is its first step. */
async function findStart(
  tx: Transaction,
  organizationId: Uuid,
  { executionId, stepId, visit, startedBy }: Wanted,
): Promise<(Place & { isFirst: boolean }) | undefined> {
  if (startedBy === null) return undefined
  const [start] = await tx<(Place & { isFirst: boolean })[]>`
    select id, received_at,
      exists (
        select
        from execution_steps
        where organization_id = ${organizationId} and execution_id = ${executionId}
          and step_id = ${stepId} and visit = ${visit} and position = 1
      ) as is_first
    from events
    where organization_id = ${organizationId} and id = ${startedBy}`
  return start
}

const listEvents = (
  tx: Transaction,
  organizationId: Uuid,
  { executionId, contactId, name, since, now, after }: Wanted & { after: Place },
) => tx<ReceivedEvent[]>`
  select id, name, properties, received_at
  from events
  where organization_id = ${organizationId} and contact_id = ${contactId} and name = ${name}
    and id >= ${bucketStart(Date.parse(since) - MARGIN_MS)}
    and id < ${bucketStart(Date.parse(now) + MARGIN_MS + DAY_MS)}
    and received_at >= ${since}
    and (received_at, id) > (${after.receivedAt}::timestamptz, ${after.id}::uuid)
    and occurred_at >= received_at - ${OLDEST}::interval
    and id not in (
      select matched_event_id
      from waits
      where organization_id = ${organizationId} and execution_id = ${executionId}
        and matched_event_id is not null
    )
  order by received_at, id
  limit ${PAGE}`
