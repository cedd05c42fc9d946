import type { TimedEngagement } from '../../domain/batches/report-times.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Batch } from '../../schemas/batches/batch.ts'
import type { BatchReport } from '../../schemas/batches/batch-report.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'
import * as batches from './batches.ts'
import { OTHERS } from './link-clicks.ts'

/** Links of a report. The others are summed. */
const MOST_LINKS = 50
const MOST_DOMAINS = 50
const MOST_REASONS = 50

export type ReportRow = Omit<Batch, 'htmlContent' | 'textContent' | 'variableMappings'> &
  Pick<
    BatchReport,
    'generatedAt' | 'links' | 'otherLinks' | 'domains' | 'otherDomains' | 'bounces'
  > & { openedByPeople: number; hours: TimedEngagement[] }

/** Reads the figures of a report in one statement, so that they are of one moment. */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  batchId: Uuid,
): Promise<ReportRow | undefined> {
  const [report] = await sql<ReportRow[]>`
    with figure as materialized (
      select dimension, value, sum(sent) as sent, sum(delivered) as delivered,
        sum(opened) as opened, sum(human_opened) as human_opened, sum(clicked) as clicked,
        sum(unsubscribed) as unsubscribed, sum(bounced) as bounced,
        sum(suppressed) as suppressed, sum(complained) as complained
      from batch_figures
      where organization_id = ${organizationId} and batch_id = ${batchId}
      group by dimension, value
    ), domain as (
      select *, row_number() over (order by sent desc, value) as place
      from figure
      where dimension = 'domain' and sent > 0
    ), link as (
      select *, row_number() over (order by clicks desc, id) as place
      from (
        select link as id, min(url) as url, sum(clicks) as clicks, sum(recipients) as recipients
        from link_clicks
        where organization_id = ${organizationId} and batch_id = ${batchId}
        group by link
        having sum(clicks) > 0
      ) each
      where id <> ${OTHERS}
    )
    select ${batches.summaryColumns(sql)}, ${batches.abTest(sql)} as ab_test,
      clock_timestamp() as generated_at,
      (select coalesce(sum(human_opened), 0) from domain) as opened_by_people,
      ${hours(sql)} as hours, ${bounces(sql)} as bounces,
      (select coalesce(jsonb_agg(jsonb_build_object('domain', nullif(value, ''),
          ${domainFields(sql)}) order by place), '[]')
        from domain where place <= ${MOST_DOMAINS}) as domains,
      (select jsonb_build_object('domains', count(*), ${domainSums(sql)})
        from domain where place > ${MOST_DOMAINS}) as other_domains,
      (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'url', url, 'clicks', clicks,
          'recipients', recipients) order by place), '[]')
        from link where place <= ${MOST_LINKS}) as links,
      (select jsonb_build_object('links', count(*), 'clicks', coalesce(sum(clicks), 0) + (
            select coalesce(sum(clicks), 0)
            from link_clicks
            where organization_id = ${organizationId} and batch_id = ${batchId}
              and link = ${OTHERS}
          ))
        from link where place > ${MOST_LINKS}) as other_links
    from batches
    where organization_id = ${organizationId} and id = ${batchId}`
  return report
}

const hours = (sql: Executor) => sql`
  (select coalesce(jsonb_agg(jsonb_build_object('from', value, 'opened', opened,
      'openedByPeople', human_opened, 'clicked', clicked, 'unsubscribed', unsubscribed)
      order by value), '[]')
    from figure
    where dimension = 'hour' and (opened, human_opened, clicked, unsubscribed) <> (0, 0, 0, 0))`

const bounces = (sql: Executor) => sql`
  (select coalesce(jsonb_agg(jsonb_build_object('type', split_part(value, ' ', 1),
      'subType', nullif(split_part(value, ' ', 2), ''), 'count', bounced + suppressed,
      'isSuppressed', suppressed > 0) order by bounced + suppressed desc, value), '[]')
    from (
      select *
      from figure
      where dimension = 'bounce' and bounced + suppressed > 0
      order by bounced + suppressed desc, value
      limit ${MOST_REASONS}
    ) reason)`

const domainFields = (sql: Executor) => sql`
  'sent', sent, 'delivered', delivered, 'opened', opened, 'openedByPeople', human_opened,
  'clicked', clicked, 'unsubscribed', unsubscribed, 'bounced', bounced, 'suppressed', suppressed,
  'complained', complained`

const domainSums = (sql: Executor) => sql`
  'sent', coalesce(sum(sent), 0), 'delivered', coalesce(sum(delivered), 0),
  'opened', coalesce(sum(opened), 0), 'openedByPeople', coalesce(sum(human_opened), 0),
  'clicked', coalesce(sum(clicked), 0), 'unsubscribed', coalesce(sum(unsubscribed), 0),
  'bounced', coalesce(sum(bounced), 0), 'suppressed', coalesce(sum(suppressed), 0),
  'complained', coalesce(sum(complained), 0)`

const MOST_MERGED = 500

/**
 * Merges parts that lost mails of an erased person, so that a domain of that person alone
 * disappears. Returns the number of parts. Locked parts wait for the next round.
 */
export async function mergeParts(sql: Sql): Promise<number> {
  const [merged] = await sql<{ parts: number }[]>`
    with due as materialized (
      select distinct organization_id, key
      from batch_figures
      where dimension = 'domain' and sent <= 0
      limit ${MOST_MERGED}
    ), part as materialized (
      select f.*
      from due
      join batch_figures f using (organization_id, key)
      for update of f skip locked
    ), removed as (
      delete from batch_figures f
      using part
      where f.organization_id = part.organization_id and f.key = part.key and f.part = part.part
    ), kept as (
      insert into batch_figures (organization_id, key, batch_id, dimension, value,
        ${figures(sql)})
      select organization_id, key, batch_id, dimension, value, sum(sent), sum(delivered),
        sum(opened), sum(human_opened), sum(clicked), sum(unsubscribed), sum(bounced),
        sum(suppressed), sum(complained)
      from part
      group by organization_id, key, batch_id, dimension, value
      having (sum(sent), sum(delivered), sum(opened), sum(human_opened), sum(clicked),
        sum(unsubscribed), sum(bounced), sum(suppressed), sum(complained))
        <> (0, 0, 0, 0, 0, 0, 0, 0, 0)
    )
    select count(*) as parts from part`
  return merged?.parts ?? 0
}

const figures = (sql: Executor) => sql`
  sent, delivered, opened, human_opened, clicked, unsubscribed, bounced, suppressed, complained`

interface Day {
  from: Uuid
  to: Uuid
}

/**
 * Counts the figures of a day's batches again from the logs, and adds the differences as parts of
 * their own. Runs in a transaction with one snapshot. Returns the number of wrong figures.
 */
export async function correct(
  tx: Transaction,
  organizationId: Uuid,
  { from, to }: Day,
): Promise<number> {
  const corrected = await tx`
    insert into batch_figures (organization_id, key, batch_id, dimension, value, ${figures(tx)})
    select ${organizationId}, key, batch_id, dimension, value, sum(sign * sent),
      sum(sign * delivered), sum(sign * opened), sum(sign * human_opened), sum(sign * clicked),
      sum(sign * unsubscribed), sum(sign * bounced), sum(sign * suppressed),
      sum(sign * complained)
    from (
      select 1 as sign, * from recount_batch_mails(${organizationId}, ${from}, ${to})
      union all
      select -1, f.*
      from batches b
      join batch_figures f on f.organization_id = b.organization_id and f.batch_id = b.id
      where b.organization_id = ${organizationId} and b.bucket >= ${from} and b.bucket < ${to}
    ) each
    group by key, batch_id, dimension, value
    having (sum(sign * sent), sum(sign * delivered), sum(sign * opened), sum(sign * human_opened),
      sum(sign * clicked), sum(sign * unsubscribed), sum(sign * bounced), sum(sign * suppressed),
      sum(sign * complained)) <> (0, 0, 0, 0, 0, 0, 0, 0, 0)
    returning 1`
  return corrected.length
}
