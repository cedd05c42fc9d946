import { bucketStart, lowestId, type Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

export interface DueOrganization {
  organizationId: Uuid
  retentionDays: number
  /** `YYYY-MM-DD`: rows of the days before were deleted already; null: none were. */
  doneBefore: string | null
}

/** Organizations with days that their plan does not keep any more and whose rows may be there. */
export const listDue = (sql: Executor, today: string, limit: number) => sql<DueOrganization[]>`
  select o.id as organization_id, plan.days as retention_days, o.rows_deleted_before as done_before
  from organizations o
  join plans p on p.name = o.plan
  left join plan_overrides own on own.organization_id = o.id
  cross join lateral (select coalesce(own.retention_days, p.retention_days) as days) plan
  where o.rows_deleted_before is null or o.rows_deleted_before < ${today}::date - plan.days
  order by o.id
  limit ${limit}`

/** The organization's rows of days before `day` were deleted. */
export const recordDone = (sql: Executor, organizationId: Uuid, day: string) => sql`
  update organizations
  set rows_deleted_before = ${day}::date
  where id = ${organizationId}`

/** A page of an organization's rows to delete. Times are in milliseconds. */
interface OldRows {
  organizationId: Uuid
  /** What is older is not kept by the organization's plan. */
  before: number
  /** What is older was deleted already, where rows never become old later. */
  from: number
  /** What is older is not kept by any plan. */
  longestBefore: number
  limit: number
  /** Where the page before ended, where rows may be passed over; null: this is the first. */
  after: Uuid | null
}

export interface Page {
  deleted: number
  /** Where the next page begins; null: there is none. */
  after: Uuid | null
}

/**
 * Executions that ended, with their steps and waits. How often a contact entered a flow and the
 * flow's counters have rows of their own. Those that still run are passed over.
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

/** Custom events. An id tells when it was received; bounds on both sides leave out other days. */
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

/** What callers said of single mail, once its contents are forgotten. */
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

/** Times of the parts of batches whose mails no plan keeps: a failed batch may go on until then. */
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

/** Of webhook steps whose execution ended between two tries. */
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

/** Longer than any period in which a notice is given once. */
const NOTICE_DAYS = 400

/** Notices that were mailed, with their mails. */
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

/** Of a statement that finds nothing twice. */
const pageOf = ({ organizationId, limit }: OldRows, deleted: number): Page => ({
  deleted,
  after: deleted < limit ? null : organizationId,
})

/** What an organization's plan does not keep for good. A new one is a line here. */
export const OF_ORGANIZATIONS = [
  executions,
  events,
  transactionalMails,
  batchParts,
  webhookCalls,
  notices,
] as const

/** What finds mails by something else than their own id: of days no plan keeps. */
export const OF_MAILS = [
  {
    /** They find the mail of a late event without our tag: else it would be taken for another's. */
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
    // An erasure finds the logs of deleted contacts by them, also those that no read shows.
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
