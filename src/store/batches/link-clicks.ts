import type { Uuid } from '../../runtime/ids.ts'
import type { LinkClick } from '../../schemas/batches/link-clicks.ts'
import type { Executor, Part, Sql, Transaction } from '../db/sql.ts'

interface ClickPage {
  after?: Uuid | undefined
  limit: number
}

/**
 * Lists the clicked links of a batch with their clicks, in the order of a hash of the link, which
 * does not change while more clicks arrive. Links without a row of their own are summed in the
 * first row.
 */
export const listOfBatch = (sql: Executor, organizationId: Uuid, batchId: Uuid, page: ClickPage) =>
  list(sql, sql`organization_id = ${organizationId} and batch_id = ${batchId}`, page)

/** Does the same for all mails of a template, in batches or alone. */
export const listOfTemplate = (
  sql: Executor,
  organizationId: Uuid,
  templateId: Uuid,
  page: ClickPage,
) => list(sql, sql`organization_id = ${organizationId} and template_id = ${templateId}`, page)

const list = (sql: Executor, wanted: Part, { after, limit }: ClickPage) => sql<LinkClick[]>`
  select link as id, nullif(min(url), '') as url, sum(clicks) as clicks, sum(recipients) as recipients,
    min(first_clicked_at) as first_clicked_at, max(last_clicked_at) as last_clicked_at
  from link_clicks
  where ${wanted} ${after === undefined ? sql`` : sql`and link > ${after}`}
  group by link
  having sum(clicks) > 0
  order by link
  limit ${limit}`

/** Id of the row for all links without a row of their own. */
export const OTHERS = '00000000-0000-0000-0000-000000000000'

const MOST_MERGED = 500

/**
 * Merges parts that lost clicks of an erased person, so that a link that nobody else clicked
 * disappears. Returns the number of parts. Locked parts wait for the next round.
 */
export async function mergeParts(sql: Sql): Promise<number> {
  const [merged] = await sql<{ parts: number }[]>`
    with due as materialized (
      select distinct organization_id, key
      from link_clicks
      where clicks <= 0 and link <> ${OTHERS}
      limit ${MOST_MERGED}
    ), part as materialized (
      select f.*
      from due
      join link_clicks f using (organization_id, key)
      for update of f skip locked
    ), removed as (
      delete from link_clicks f
      using part
      where f.organization_id = part.organization_id and f.key = part.key and f.part = part.part
    ), kept as (
      insert into link_clicks (organization_id, key, bucket, batch_id, template_id, link, url,
        clicks, recipients, first_clicked_at, last_clicked_at)
      select organization_id, key, bucket, batch_id, template_id, link, url, sum(clicks),
        sum(recipients), min(first_clicked_at), max(last_clicked_at)
      from part
      group by organization_id, key, bucket, batch_id, template_id, link, url
      having (sum(clicks), sum(recipients)) <> (0, 0)
    )
    select count(*) as parts from part`
  return merged?.parts ?? 0
}

interface Day {
  from: Uuid
  to: Uuid
}

/**
 * Counts the clicks in a day's mails again from the logs, and adds the differences as parts of
 * their own. Runs in a transaction with one snapshot. Returns the number of wrong links.
 */
export async function correct(
  tx: Transaction,
  organizationId: Uuid,
  { from, to }: Day,
): Promise<number> {
  const corrected = await tx`
    insert into link_clicks (organization_id, key, bucket, batch_id, template_id, link, url, clicks,
      recipients, first_clicked_at, last_clicked_at)
    select ${organizationId}, key, bucket, batch_id, template_id, link, url, sum(sign * clicks),
      sum(sign * recipients), min(first_clicked_at), max(last_clicked_at)
    from (
      select 1 as sign, counted.*
      from (
        select distinct bucket
        from delivery_events
        where organization_id = ${organizationId} and bucket >= ${from} and bucket < ${to}
          and kind = 'click'
      ) clicked
      cross join lateral recount_links(${organizationId}, clicked.bucket) counted
      union all
      select -1, f.*
      from link_clicks f
      where f.organization_id = ${organizationId} and f.bucket >= ${from} and f.bucket < ${to}
    ) each
    group by key, bucket, batch_id, template_id, link, url
    having (sum(sign * clicks), sum(sign * recipients)) <> (0, 0)
    returning 1`
  return corrected.length
}
