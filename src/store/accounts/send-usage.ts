import type { Executor, Part } from '../db/sql.ts'

/** An AWS account in one region, for which the provider counts, whatever organizations share it. */
export interface Account {
  accountId: string
  region: string
}

/** Period of counters. Each leaves the 24 hours as a whole. */
const PERIOD = '15 minutes'
/** Age of periods that no figure counts any more. */
const KEPT = '2 days'

const periodOf = (sql: Executor, time: Part) => sql`
  date_bin(${PERIOD}::interval, ${time}, 'epoch')`

export const nextPeriodOf = (sql: Executor, time: Part) => sql`
  ${periodOf(sql, time)} + ${PERIOD}::interval`

/**
 * Mails of the 24 hours until a time. The first period counts as a whole: rather a mail too few
 * than one too many.
 */
export const usedBy = (sql: Executor, { accountId, region }: Account, time: Part) => sql`
  coalesce((
    select sum(mails)
    from sending_usage
    where account_id = ${accountId} and region = ${region}
      and period > ${time} - interval '24 hours' - ${PERIOD}::interval
  ), 0)::float8`

/**
 * Counts mails in the period of `t`, for a `with`: `rows` is the name of an earlier part with
 * account_id, region, t and mails. Rows without mails are not written.
 */
export const countedMails = (sql: Executor, rows: 'given') => sql`
  insert into sending_usage (account_id, region, period, mails)
  select account_id, region, ${periodOf(sql, sql`t`)}, mails
  from ${sql(rows)}
  where mails <> 0
  on conflict (account_id, region, period) do update
  set mails = sending_usage.mails + excluded.mails`

export const countRefused = (sql: Executor, { accountId, region }: Account, mails: number) => sql`
  with given as (
    select account_id, region, clock_timestamp() as t, ${-mails}::int as mails
    from sending_limits
    where account_id = ${accountId} and region = ${region}
  )
  ${countedMails(sql, 'given')}`

export async function deleteOld(sql: Executor): Promise<number> {
  const { count } = await sql`
    delete from sending_usage
    where ctid = any(array(
      select ctid from sending_usage where period < now() - ${KEPT}::interval limit 1000))`
  return count
}
