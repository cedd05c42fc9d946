import { bucketStart, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { type DailyTable, LEDGER } from '../../src/store/privacy/old-days.ts'
import { insertSent } from './figures.ts'
import type { Seeded } from './seed.ts'

export const DAY_MS = 86_400_000

/** Milliseconds since 1970 of some days ago. */
export const daysAgo = (days: number): number => Date.now() - days * DAY_MS
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Creates the partitions of some days ago, of all tables or one. */
export async function makeDay(
  sql: Sql,
  days: number,
  tables: readonly DailyTable[] = ALL,
): Promise<void> {
  const [day, next] = [dayOf(daysAgo(days)), dayOf(daysAgo(days - 1))]
  for (const table of tables) {
    const isByDay = table === 'inbound_events' || table === 'outbox'
    const [from, to] = isByDay
      ? [day, next]
      : [bucketStart(daysAgo(days)), bucketStart(daysAgo(days - 1))]
    await sql`select make_partition(${table}, ${day}::date, ${from}, ${to})`
  }
}

const ALL: readonly DailyTable[] = [...LEDGER, 'events', 'inbound_events', 'outbox']

/** Returns whether a table has a partition of some days ago. */
export async function hasDay(sql: Sql, table: DailyTable, days: number): Promise<boolean> {
  const name = `${table}_${dayOf(daysAgo(days)).replaceAll('-', '')}`
  const [row] = await sql<{ there: boolean }[]>`select to_regclass(${name}) is not null as there`
  return row?.there ?? false
}

/** Mails that were sent and delivered some days ago, with bodies and timelines. */
export async function seedOldMails(
  sql: Sql,
  seeded: Seeded,
  { days, mails }: { days: number; mails: number },
): Promise<{ bucket: Uuid; id: Uuid }[]> {
  const bucket = bucketStart(daysAgo(days))
  const at = new Date(daysAgo(days)).toISOString()
  const seededMails = await insertSent(
    sql,
    seeded,
    Array.from({ length: mails }, () => ({
      bucket,
      sentAt: at,
      deliveredAt: at,
      fromDomain: 'shop.example.com',
    })),
  )
  const { organizationId } = seeded
  const ids = seededMails.map(({ id }) => id)
  await sql`
    insert into message_bodies (organization_id, bucket, id, from_address, subject)
    select ${organizationId}, ${bucket}, id, 'shop@example.com', 'Receipt'
    from unnest(${ids}::uuid[]) as id`
  await sql`
    insert into delivery_events (organization_id, bucket, log_id, kind, fingerprint, occurred_at, data)
    select ${organizationId}, ${bucket}, id, 'delivery', decode(md5(id::text), 'hex'), ${at}, '{}'
    from unnest(${ids}::uuid[]) as id`
  return seededMails
}

/** A stored delivery event of a mail that waits to be applied. */
export const storeEvent = (
  sql: Sql,
  { organizationId, connectionId }: Seeded,
  { bucket, id }: { bucket: Uuid; id: Uuid },
  eventType = 'Open',
) => sql`
  insert into inbound_events (organization_id, connection_id, envelope_id, body)
  values (${organizationId}, ${connectionId}, ${uuidv7()}, ${sql.json({
    detail: {
      eventType,
      mail: {
        timestamp: new Date().toISOString(),
        messageId: `m-${id}`,
        destination: ['reader@example.com'],
        tags: { 'letterloom-message': [`${bucket}_${id}`] },
      },
      open: { timestamp: new Date().toISOString(), userAgent: 'Mozilla/5.0 (X11) Firefox/140' },
    },
  })})`
