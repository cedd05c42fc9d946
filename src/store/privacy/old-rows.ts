import { bucketStart, lowestId, type Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

export interface DueOrganization {
  organizationId: Uuid
  retentionDays: number
  doneBefore: string | null
}

/** Organizations that may have rows beyond their plan's retention. */
export const listDue = (sql: Executor, today: string, limit: number) => sql<DueOrganization[]>`
  select o.id as organization_id, plan.days as retention_days, o.rows_deleted_before as done_before
  from organizations o
  join plans p on p.name = o.plan
  left join plan_overrides own on own.organization_id = o.id
  cross join lateral (select coalesce(own.retention_days, p.retention_days) as days) plan
  where o.rows_deleted_before is null or o.rows_deleted_before < ${today}::date - plan.days
  order by o.id
  limit ${limit}`

export const recordDone = (sql: Executor, organizationId: Uuid, day: string) => sql`
  update organizations
  set rows_deleted_before = ${day}::date
  where id = ${organizationId}`

/** A page of an organization's rows to delete. Times in milliseconds. */
interface OldRows {
  organizationId: Uuid
  /** Older rows are beyond the organization's plan. */
  before: number
  /** Older rows were deleted already, for kinds of rows that never become old later. */
  from: number
  /** Older rows are beyond every plan. */
  longestBefore: number
  limit: number
  /** End of the previous page, for kinds of rows that may be skipped. Null: the first page. */
  after: Uuid | null
}

export interface Page {
  deleted: number
  after: Uuid | null
}

/**
 * Finished executions with their steps and waits. Counters of entries and of the flow are separate
 * rows. Running executions are skipped.
 */
async function executions(sql: Executor, rows: OldRows): Promise<Page> {
  const { organizationId, before, limit, after } = rows
  const [page] = await sql<{ seen: number; last: Uuid | null; deleted: number }[]>`
    with page as materialized (
      select id
      from executions
      where organization_id = ${organizationId} and id < ${lowestId(before)}
        ${after === null ? sql`` : sql`and id > ${after}`}
      order by id
      limit ${limit}
    ), old as materialized (
      select x.id
      from executions x
      where x.organization_id = ${organizationId} and x.id in (select id from page)
        and x.finished_at < ${new Date(before).toISOString()}
      for update skip locked
    ), gone as (
      delete from executions x
      using old
      where x.organization_id = ${organizationId} and x.id = old.id
      returning 1
    )
    select count(*) as seen, (array_agg(id order by id desc))[1] as last,
      (select count(*) from gone) as deleted
    from page`
  const { seen = 0, last = null, deleted = 0 } = page ?? {}
  return { deleted, after: seen < limit ? null : last }
}

async function events(sql: Executor, rows: OldRows): Promise<Page> {
  const { organizationId, from, before, limit } = rows
  const { count } = await sql`
    delete from events
    where organization_id = ${organizationId}
      and id >= ${lowestId(from)} and id < ${lowestId(before)}
      and id in (
        select id
        from events
        where organization_id = ${organizationId}
          and id >= ${lowestId(from)} and id < ${lowestId(before)}
        order by id
        limit ${limit}
      )`
  return pageOf(rows, count)
}

async function transactionalMails(sql: Executor, rows: OldRows): Promise<Page> {
  const { organizationId, before, limit } = rows
  const { count } = await sql`
    delete from transactional_mails
    where organization_id = ${organizationId} and id in (
      select id
      from transactional_mails
      where organization_id = ${organizationId} and id < ${lowestId(before)} and sealed is null
      order by id
      limit ${limit}
      for update skip locked
    )`
  return pageOf(rows, count)
}

/**
 * Times of parts of batches whose mails are beyond every plan. A failed batch may be resumed until
 * then.
 */
async function batchParts(sql: Executor, rows: OldRows): Promise<Page> {
  const { organizationId, longestBefore, limit } = rows
  const { count } = await sql`
    delete from batch_parts
    where organization_id = ${organizationId} and (batch_id, from_row) in (
      select p.batch_id, p.from_row
      from batches b
      join batch_parts p on p.organization_id = ${organizationId} and p.batch_id = b.id
      where b.organization_id = ${organizationId} and b.bucket < ${bucketStart(longestBefore)}
        and b.status not in ('queued', 'scheduled', 'processing')
      limit ${limit}
      for update of p skip locked
    )`
  return pageOf(rows, count)
}

async function webhookCalls(sql: Executor, rows: OldRows): Promise<Page> {
  const { organizationId, before, limit } = rows
  const { count } = await sql`
    delete from webhook_calls
    where organization_id = ${organizationId} and id in (
      select id
      from webhook_calls
      where organization_id = ${organizationId}
        and lease_until < ${new Date(before).toISOString()}
      limit ${limit}
      for update skip locked
    )`
  return pageOf(rows, count)
}

/** Longer than the longest interval between two equal notices. */
const NOTICE_DAYS = 400

async function notices(sql: Executor, rows: OldRows): Promise<Page> {
  const { organizationId, limit } = rows
  const { count } = await sql`
    delete from notices
    where organization_id = ${organizationId} and id in (
      select n.id
      from notices n
      where n.organization_id = ${organizationId}
        and n.created_at < now() - ${NOTICE_DAYS} * interval '1 day'
        and not exists (
          select from notice_mails m
          where m.organization_id = ${organizationId} and m.notice_id = n.id
            and m.state in ('queued', 'claimed')
        )
      limit ${limit}
      for update of n skip locked
    )`
  return pageOf(rows, count)
}

const pageOf = ({ organizationId, limit }: OldRows, deleted: number): Page => ({
  deleted,
  after: deleted < limit ? null : organizationId,
})

/** Kinds of rows that a plan's retention limits. A new kind is one more line. */
export const OF_ORGANIZATIONS = [
  executions,
  events,
  transactionalMails,
  batchParts,
  webhookCalls,
  notices,
] as const

/** Rows that find a mail by anything but its id, of days beyond every plan. */
export const OF_MAILS = [
  {
    /**
     * They match late events without our tag to their mail. Otherwise these would be taken for
     * another mail's.
     */
    extraDays: 30,
    page: (sql: Executor, before: number, limit: number) => sql`
      delete from message_ids m
      using (
        select organization_id, message_id
        from message_ids
        where bucket < ${bucketStart(before)}
        limit ${limit}
        for update skip locked
      ) old
      where m.organization_id = old.organization_id and m.message_id = old.message_id`,
  },
  {
    extraDays: 30,
    page: (sql: Executor, before: number, limit: number) => sql`
      delete from external_mails e
      using (
        select organization_id, message_id, connection_id, address_hash
        from external_mails
        where bucket < ${bucketStart(before)} and look_at is null
        limit ${limit}
        for update skip locked
      ) old
      where e.organization_id = old.organization_id and e.message_id = old.message_id
        and e.connection_id = old.connection_id and e.address_hash = old.address_hash`,
  },
  {
    // Erasures find the logs of deleted contacts by them, also logs that no read returns.
    extraDays: 0,
    page: (sql: Executor, before: number, limit: number) => sql`
      delete from former_addresses f
      using (
        select organization_id, contact_id, address_hash
        from former_addresses
        where contact_deleted_at < ${new Date(before).toISOString()}
        order by contact_deleted_at
        limit ${limit}
        for update skip locked
      ) old
      where f.organization_id = old.organization_id and f.contact_id = old.contact_id
        and f.address_hash = old.address_hash`,
  },
] as const
