import type { Uuid } from '../ids.ts'
import type { Executor } from './sql.ts'

/** Mail in the outlet that is looked through for a contact; with more, one is assumed. */
const MOST_QUEUED = 1_000
/** Of confirmations and automations: receipts go to people who left as well. */
const LANES = [2, 3]
const SOURCES = ['confirmation', 'workflow']
/** A batch that failed is over, but calls of what it had claimed begin for a moment longer. */
const ENDING_MS = 10_000

/**
 * Whether a mail to one of these contacts, of the kind that leaving stops, may be on its way:
 * frozen in a batch that is being sent, or waiting in the outlet, and not settled. Each bucket is
 * named, so that each is one look at one index.
 */
export async function isBeingMailed(
  sql: Executor,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<boolean> {
  const live = await sql<{ bucket: Uuid }[]>`
    select bucket
    from batches
    where organization_id = ${organizationId} and bucket is not null
      and (status = 'processing' or (status = 'failed'
        and completed_at > clock_timestamp() - ${ENDING_MS} * interval '1 millisecond'))`
  if (await isInBuckets(sql, organizationId, live, contactIds)) return true
  const places = await outletPlaces(sql, organizationId)
  if (places.length > MOST_QUEUED) return true
  return isAmong(sql, organizationId, places, contactIds)
}

async function isInBuckets(
  sql: Executor,
  organizationId: Uuid,
  live: readonly { bucket: Uuid }[],
  contactIds: readonly Uuid[],
): Promise<boolean> {
  if (live.length === 0) return false
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select
      from messages
      where organization_id = ${organizationId}
        and bucket = any(${live.map(({ bucket }) => bucket)}::uuid[])
        and dedupe_key = any(${[...contactIds]}::uuid[])
        and state in ('queued', 'claimed')
    ) as found`
  return row?.found ?? false
}

interface Place {
  bucket: Uuid
  id: Uuid
}

/** Mail outside batches that leaving stops, due or claimed, of the whole organization. */
const outletPlaces = (sql: Executor, organizationId: Uuid) => sql<Place[]>`
  (
    select q.bucket, q.id
    from connections c
    join outlet_queue q on q.connection_id = c.id and q.lane = any(${LANES}::int[])
    where c.organization_id = ${organizationId} and q.organization_id = ${organizationId}
      and q.send_at <= clock_timestamp()
    limit ${MOST_QUEUED + 1}
  )
  union all
  (
    select k.bucket, mail.id
    from claims k
    cross join lateral unnest(k.message_ids) as mail (id)
    where k.organization_id = ${organizationId} and k.batch_id is null and k.state = 'live'
    limit ${MOST_QUEUED + 1}
  )`

async function isAmong(
  sql: Executor,
  organizationId: Uuid,
  places: readonly Place[],
  contactIds: readonly Uuid[],
): Promise<boolean> {
  if (places.length === 0) return false
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select
      from messages
      where organization_id = ${organizationId}
        and bucket = any(${[...new Set(places.map(({ bucket }) => bucket))]}::uuid[])
        and id = any(${places.map(({ id }) => id)}::uuid[])
        and contact_id = any(${[...contactIds]}::uuid[])
        and source = any(${SOURCES}::text[])
        and state in ('queued', 'claimed')
    ) as found`
  return row?.found ?? false
}
