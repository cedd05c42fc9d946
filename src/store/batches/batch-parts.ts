import { SHARES } from '../../domain/batches/ab-test.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'
import type { Run } from './batch-runs.ts'
import { insertRows, nextContacts, type PageToFreeze } from './freeze-rows.ts'

/** Sending times of contacts by their zone, in ISO 8601. */
export interface LocalTimes {
  zones: readonly { zone: string; at: string }[]
  others: string
}

/** Lists the valid timezones of an organization's contacts. */
export async function listZones(sql: Executor, organizationId: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    with named as materialized (
      select distinct lower(properties ->> 'timezone') as zone
      from contacts
      where organization_id = ${organizationId} and properties ? 'timezone'
    )
    select min(zones.name) as name
    from pg_timezone_names zones
    join named on named.zone = lower(zones.name)
    where zones.name !~ '^(posix|right)/'
    group by lower(zones.name)`
  return rows.map(({ name }) => name)
}

/**
 * Copies the next contacts of the audience into the ledger, as `insertPage` of batch-runs does, but
 * in the order of their local times. Rows with the same time are a part of the batch, which is
 * stored. Contacts whose local time has passed are in the first part. Returns the number of
 * contacts and the last of their ids.
 */
export async function insertPage(
  tx: Transaction,
  run: Run,
  batch: PageToFreeze,
  { size, zones, others }: LocalTimes & { size: number },
): Promise<{ inserted: number; cursor: Uuid | undefined }> {
  const { organizationId, batchId } = run
  const { startedAt } = batch
  const more = tx`, lower(properties ->> 'timezone') as zone`
  const [page] = await tx<{ inserted: number; cursor: Uuid | null }[]>`
    with page as materialized (${nextContacts(tx, run, batch, { size, more })}), timed as (
      select page.id, page.email,
        greatest(coalesce(local.at, ${others}), ${startedAt}::timestamptz(3)) as send_at
      from page
      left join unnest(
        ${zones.map(({ zone }) => zone.toLowerCase())}::text[],
        ${zones.map(({ at }) => at)}::timestamptz[]
      ) as local (zone, at) on local.zone = page.zone
    ), placed as materialized (
      select id, email, send_at,
        ${batch.total}::int - 1 + (row_number() over (order by send_at, id))::int as place
      from timed
    ), written as (
      ${insertRows(tx, run, batch, { placed: tx`placed`, also: tx`, send_at` })}
    ), parts as (
      insert into batch_parts (organization_id, batch_id, from_row, to_row, send_at)
      select ${organizationId}::uuid, ${batchId}::uuid, min(place), max(place) + 1, send_at
      from placed
      group by send_at
    )
    select count(*) as inserted, (select id from page order by id desc limit 1) as cursor
    from page`
  return { inserted: page?.inserted ?? 0, cursor: page?.cursor ?? undefined }
}

/**
 * Does the same for a test: the share comes first, in equal parts for each variant. The rest has no
 * variant yet. A hash of the batch and the contact decides who is in the share (the bucket of that
 * hash, see `bucketOf` of src/domain/audience). So the share differs from test to test, and a
 * segment by bucket is neither all in it nor all out.
 */
export async function insertTestPage(
  tx: Transaction,
  run: Run,
  batch: PageToFreeze,
  { size, variants, sharePercent }: { size: number; variants: number; sharePercent: number },
): Promise<{ inserted: number; cursor: Uuid | undefined }> {
  const { organizationId, batchId } = run
  const { startedAt } = batch
  const more = tx`,
    ('x' || right(md5(${batchId}::text || id::text), 12))::bit(48)::bigint % ${SHARES}::bigint
      as spot`
  const [page] = await tx<{ inserted: number; cursor: Uuid | null }[]>`
    with page as materialized (${nextContacts(tx, run, batch, { size, more })}), shared as (
      select id, email, spot,
        row_number() over (order by spot, id) <= ceil(count(*) over () * ${sharePercent}::int / 100.0)
          as is_test
      from page
    ), placed as materialized (
      select id, email, is_test,
        case when is_test then (row_number() over (partition by is_test order by spot, id) - 1)
          % ${variants}::int end as variant,
        ${batch.total}::int - 1 + (row_number() over (order by is_test desc, id))::int as place
      from shared
    ), written as (
      ${insertRows(tx, run, batch, { placed: tx`placed`, also: tx`, variant` })}
    ), parts as (
      insert into batch_parts (organization_id, batch_id, from_row, to_row, send_at, is_test)
      select ${organizationId}::uuid, ${batchId}::uuid, min(place), max(place) + 1,
        ${startedAt}::timestamptz(3), is_test
      from placed
      group by is_test
    )
    select count(*) as inserted, (select id from page order by id desc limit 1) as cursor
    from page`
  return { inserted: page?.inserted ?? 0, cursor: page?.cursor ?? undefined }
}

interface Part {
  from: number
  to: number
  sendAt: string
  isTest: boolean
}

/** Lists the parts of a batch in their sending order. Empty: it is sent as a whole. */
export const list = (sql: Sql, { organizationId, batchId }: Run) => sql<Part[]>`
  select from_row as "from", to_row as "to", send_at, is_test
  from batch_parts
  where organization_id = ${organizationId} and batch_id = ${batchId}
  order by is_test desc, send_at, from_row`

interface Rows {
  organizationId: string
  bucket: Uuid
  /** Range of row ids, `from` included, `to` not. */
  from: Uuid
  to: Uuid
}

/**
 * Counts the rows of a range without an outcome: those to be sent, those being sent now, and those
 * in doubt.
 */
export const countOpen = async (sql: Sql, { organizationId, bucket, from, to }: Rows) => {
  const [row] = await sql<{ queued: number; claimed: number; inDoubt: number }[]>`
    select count(*) filter (where state = 'queued') as queued,
      count(*) filter (where state = 'claimed') as claimed,
      count(*) filter (where state = 'unknown') as in_doubt
    from messages
    where organization_id = ${organizationId} and bucket = ${bucket} and id >= ${from} and id < ${to}`
  return row ?? { queued: 0, claimed: 0, inDoubt: 0 }
}
