import type { Dimension, Granularity } from '../../domain/metrics/metrics-query.ts'
import type { Shift } from '../../domain/metrics/zone-shifts.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Transaction } from '../db/sql.ts'

export const FIGURES = [
  'sent',
  'delivered',
  'bouncedPermanent',
  'bouncedTransient',
  'bouncedUndetermined',
  'complained',
  'suppressed',
  'opened',
  'openedRaw',
  'clicked',
  'unsubscribed',
  'failed',
  /** Transient bounces of mails that arrived all the same. */
  'bouncedArrived',
] as const
export type Figures = Record<(typeof FIGURES)[number], number>

const NO_TEMPLATE = '00000000-0000-0000-0000-000000000000'

export interface Filters {
  broadcastIds?: readonly Uuid[] | undefined
  templateIds?: readonly Uuid[] | undefined
  connectionIds?: readonly Uuid[] | undefined
  domains?: readonly string[] | undefined
}

/** Average price of a mail of an account in a UTC month (`2026-11`). */
export interface Rate {
  connectionId: Uuid
  month: string
  usd: number
}

interface Read extends Filters {
  /** The range, split where the offset of the timezone changes. */
  shifts: readonly Shift[]
  granularity: Granularity
  dimensions: readonly Dimension[]
  rates: readonly Rate[]
  limit: number
}

export interface Row extends Figures {
  isTotal: boolean
  costUsd: number | null
  period?: string
  domain?: string | null
  broadcastId?: Uuid | null
  templateId?: Uuid | null
  source?: string
  cloudAccountId?: Uuid
  region?: string | null
}

/** Units of `date_trunc`, whose weeks begin on Monday, and the format of a period. */
const PERIODS: Record<Granularity, { unit: string; format: string }> = {
  hourly: { unit: 'hour', format: 'YYYY-MM-DD"T"HH24:00:00' },
  daily: { unit: 'day', format: 'YYYY-MM-DD' },
  weekly: { unit: 'week', format: 'YYYY-MM-DD' },
  monthly: { unit: 'month', format: 'YYYY-MM' },
}

function columnsOf(sql: Executor, { granularity }: Read) {
  const { unit, format } = PERIODS[granularity]
  const local = sql`f.quarter at time zone 'UTC' + shift.minutes * interval '1 minute'`
  const plain = (cell: Part, key: Part) => ({ cell, key, shownColumn: key })
  return {
    period: {
      cell: sql`date_trunc(${unit}, ${local})`,
      key: sql`period`,
      shownColumn: sql`to_char(period, ${format}) as period`,
    },
    domain: plain(sql`nullif(f.domain, '')`, sql`domain`),
    broadcast: plain(sql`f.batch_id`, sql`broadcast_id`),
    template: plain(sql`nullif(f.template_id, ${NO_TEMPLATE})`, sql`template_id`),
    source: plain(sql`f.source`, sql`source`),
    account: plain(sql`f.connection_id`, sql`cloud_account_id`),
    region: plain(sql`c.region`, sql`region`),
  } satisfies Record<Dimension, { cell: Part; key: Part; shownColumn: Part }>
}

/**
 * Returns figures by the requested dimensions, in the order of their keys, after those of all
 * mails. One statement, so that they agree. There are at most `limit` + 1 further rows. Other
 * programs' mail, known from events, has a source only and costs nothing.
 */
export function read(sql: Executor, organizationId: Uuid, query: Read) {
  const { shifts, rates, dimensions, limit } = query
  const columns = dimensions.map((name) => columnsOf(sql, query)[name])
  const isBySource = dimensions.includes('source')
  const parts = (of: Part[]) => (of.length === 0 ? sql`` : of)
  const keys = columns.map(({ key }, index) => (index === 0 ? key : sql`, ${key}`))
  const isTotal = columns[0] ? sql`grouping(${columns[0].key}) = 1` : sql`true`
  return sql<Row[]>`
    with cells as materialized (
      select ${parts(columns.map(({ cell, key }) => sql`${cell} as ${key},`))}
        f.connection_id, date_trunc('month', f.quarter at time zone 'UTC') as month, ${sums(sql)}
      from unnest(
        ${shifts.map(({ since }) => new Date(since).toISOString())}::timestamptz[],
        ${shifts.map(({ until }) => new Date(until).toISOString())}::timestamptz[],
        ${shifts.map(({ minutes }) => minutes)}::integer[]
      ) as shift (since, until, minutes)
      join mail_figures f on f.organization_id = ${organizationId}
        and f.quarter >= shift.since and f.quarter < shift.until
      ${dimensions.includes('region') ? withRegion(sql, organizationId) : sql``}
      where ${isBySource ? sql`true` : sql`f.source <> 'external'`}
        ${parts(conditions(sql, query))}
      group by ${parts(columns.map(({ key }) => sql`${key},`))} f.connection_id, month
    ), priced as (
      select cells.*,
        ${isBySource ? sql`case when cells.source = 'external' then 0 else` : sql``}
        (cells.sent - cells.failed) * rate.usd
        ${isBySource ? sql`end` : sql``} as cost
      from cells
      left join unnest(
        ${rates.map(({ connectionId }) => connectionId)}::uuid[],
        ${rates.map(({ month }) => month)}::text[],
        ${rates.map(({ usd }) => usd)}::float8[]
      ) as rate (connection_id, month, usd)
        on rate.connection_id = cells.connection_id and rate.month = to_char(cells.month, 'YYYY-MM')
    )
    select ${parts(columns.map(({ shownColumn }) => sql`${shownColumn},`))} ${sums(sql)},
      case when count(*) filter (where cost is null and sent <> failed) = 0
        then coalesce(sum(cost), 0) end as cost_usd,
      ${isTotal} as is_total
    from priced
    group by grouping sets (${keys.length === 0 ? sql`` : sql`(${keys}),`} ())
    having coalesce(sum(sent), 0) <> 0 or ${isTotal}
    order by is_total desc${parts(columns.map(({ key }) => sql`, ${key}`))}
    limit ${limit + 2}`
}

const sums = (sql: Executor) => sql`
  coalesce(sum(sent), 0)::bigint as sent,
  coalesce(sum(delivered), 0)::bigint as delivered,
  coalesce(sum(bounced_permanent), 0)::bigint as bounced_permanent,
  coalesce(sum(bounced_transient), 0)::bigint as bounced_transient,
  coalesce(sum(bounced_undetermined), 0)::bigint as bounced_undetermined,
  coalesce(sum(complained), 0)::bigint as complained,
  coalesce(sum(suppressed), 0)::bigint as suppressed,
  coalesce(sum(opened), 0)::bigint as opened,
  coalesce(sum(opened_raw), 0)::bigint as opened_raw,
  coalesce(sum(clicked), 0)::bigint as clicked,
  coalesce(sum(unsubscribed), 0)::bigint as unsubscribed,
  coalesce(sum(failed), 0)::bigint as failed,
  coalesce(sum(bounced_arrived), 0)::bigint as bounced_arrived`

const withRegion = (sql: Executor, organizationId: Uuid) => sql`
  left join connections c on c.organization_id = ${organizationId} and c.id = f.connection_id`

function conditions(sql: Executor, filters: Filters): Part[] {
  const { broadcastIds, templateIds, connectionIds, domains } = filters
  const parts: Part[] = []
  if (broadcastIds) parts.push(sql`and f.batch_id = any(${[...broadcastIds]}::uuid[])`)
  if (templateIds) parts.push(sql`and f.template_id = any(${[...templateIds]}::uuid[])`)
  if (connectionIds) parts.push(sql`and f.connection_id = any(${[...connectionIds]}::uuid[])`)
  if (domains) parts.push(sql`and f.domain = any(${[...domains]}::text[])`)
  return parts
}

/** Pricing plans of the organization's accounts, including disconnected ones. Null: unknown. */
export const listPlans = (sql: Executor, organizationId: Uuid) => sql<
  { connectionId: Uuid; pricingPlan: string | null }[]
>`
  select connection_id, pricing_plan
  from account_health
  where organization_id = ${organizationId}`

/** Counts mails that accounts sent for us and that were not refused, by UTC month. */
export const listVolumes = async (
  sql: Executor,
  organizationId: Uuid,
  { connectionIds, from, to }: { connectionIds: readonly Uuid[]; from: string; to: string },
): Promise<{ connectionId: Uuid; month: string; mails: number }[]> =>
  connectionIds.length === 0
    ? []
    : sql`
        select connection_id,
          to_char(date_trunc('month', quarter at time zone 'UTC'), 'YYYY-MM') as month,
          sum(sent - failed)::bigint as mails
        from mail_figures
        where organization_id = ${organizationId} and connection_id = any(${[...connectionIds]}::uuid[])
          and quarter >= ${from} and quarter < ${to} and source <> 'external'
        group by connection_id, date_trunc('month', quarter at time zone 'UTC')`

export async function findSpan(
  sql: Executor,
  organizationId: Uuid,
): Promise<{ first: string | null; last: string | null }> {
  const [span] = await sql<{ first: string | null; last: string | null }[]>`
    select (
      select quarter from mail_figures
      where organization_id = ${organizationId} order by quarter limit 1
    ) as first, (
      select quarter from mail_figures
      where organization_id = ${organizationId} order by quarter desc limit 1
    ) as last`
  return span ?? { first: null, last: null }
}

/** A day whose mails are stored: the bounds of the buckets in its partition. */
export interface Day {
  from: Uuid
  to: Uuid
}

export async function listDays(sql: Executor): Promise<string[]> {
  const days = await sql<{ day: string }[]>`
    select to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'messages'::regclass
    order by 1`
  return days.map(({ day }) => day)
}

export async function listOrganizations(sql: Executor, { from, to }: Day): Promise<Uuid[]> {
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from organizations o
    where exists (
      select from messages m
      where m.organization_id = o.id and m.bucket >= ${from} and m.bucket < ${to}
    ) or exists (
      select from mail_figures f
      where f.organization_id = o.id and f.bucket >= ${from} and f.bucket < ${to}
    )
    order by id`
  return rows.map(({ id }) => id)
}

/**
 * Begins a recount: from here on the transaction sees one moment, no other recount runs, and no
 * day's mails are dropped. The locks come first: they are no queries, so the moment is after them.
 * A partition can only be locked by its owner, but dropping one needs its parent.
 */
export async function beginRecount(tx: Transaction): Promise<void> {
  await tx.unsafe('set transaction isolation level repeatable read')
  await tx.unsafe(
    'lock table mail_figures, batch_figures, link_clicks in share update exclusive mode',
  )
  await tx.unsafe('lock table only messages in access share mode')
}

export async function isDayKept(tx: Transaction, day: string): Promise<boolean> {
  const [row] = await tx<{ found: boolean }[]>`
    select exists (
      select from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'messages'::regclass
        and c.relname = ${`messages_${day.replaceAll('-', '')}`}
    ) as found`
  return row?.found ?? false
}

/** Returns the last of the next mails of a day, or undefined. */
export async function findPageEnd(
  tx: Transaction,
  organizationId: Uuid,
  { from, to }: Day,
  { after, mails }: { after: Uuid; mails: number },
): Promise<Uuid | undefined> {
  const [page] = await tx<{ last: Uuid | null }[]>`
    select (array_agg(id order by id desc))[1] as last
    from (
      select id
      from messages
      where organization_id = ${organizationId} and bucket >= ${from} and bucket < ${to}
        and id > ${after}
      order by id
      limit ${mails}
    ) page`
  return page?.last ?? undefined
}

export interface KeptFigures extends Figures {
  key: Uuid
  quarter: string
  bucket: Uuid
  source: string
  connectionId: Uuid
  templateId: Uuid
  domain: string
  batchId: Uuid | null
}

export const recount = (
  tx: Transaction,
  organizationId: Uuid,
  { from, to }: Day,
  { after, last }: { after: Uuid; last: Uuid },
) => tx<KeptFigures[]>`
  select key, quarter, bucket, source, connection_id, template_id, domain, batch_id, ${sumsOf(tx)}
  from recount_mails(${organizationId}, ${from}, ${to}, ${after}, ${last})`

export const listKept = (tx: Transaction, organizationId: Uuid, { from, to }: Day) => tx<
  KeptFigures[]
>`
  select key, quarter, bucket, source, connection_id, template_id, domain, batch_id, ${sums(tx)}
  from mail_figures
  where organization_id = ${organizationId} and bucket >= ${from} and bucket < ${to}
  group by key, quarter, bucket, source, connection_id, template_id, domain, batch_id`

const sumsOf = (sql: Executor) => sql`
  sent, delivered, bounced_permanent, bounced_transient, bounced_undetermined, complained,
  suppressed, opened, opened_raw, clicked, unsubscribed, failed, bounced_arrived`

/** Adds differences as separate parts, so that concurrent counts do not wait. */
export const correct = (tx: Transaction, organizationId: Uuid, rows: readonly KeptFigures[]) => tx`
  insert into mail_figures (organization_id, key, quarter, bucket, source, connection_id,
    template_id, domain, batch_id, ${sumsOf(tx)})
  select ${organizationId}, key, quarter, bucket, source, connection_id, template_id, domain,
    batch_id, ${sumsOf(tx)}
  from jsonb_to_recordset(${tx.json(
    rows.map((row) => ({
      ...row,
      connection_id: row.connectionId,
      template_id: row.templateId,
      batch_id: row.batchId,
      bounced_permanent: row.bouncedPermanent,
      bounced_transient: row.bouncedTransient,
      bounced_undetermined: row.bouncedUndetermined,
      opened_raw: row.openedRaw,
      bounced_arrived: row.bouncedArrived,
    })),
  )}) as r (key uuid, quarter timestamptz, bucket uuid, source text, connection_id uuid,
    template_id uuid, domain text, batch_id uuid, sent integer, delivered integer,
    bounced_permanent integer, bounced_transient integer, bounced_undetermined integer,
    complained integer, suppressed integer, opened integer, opened_raw integer, clicked integer,
    unsubscribed integer, failed integer, bounced_arrived integer)`
