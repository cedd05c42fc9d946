import { batchBucket, batchRowId, dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'

export interface SentMail {
  sentAt: string | null
  channel?: 'email' | 'sms'
  source?: string
  batchId?: Uuid
  bucket?: Uuid
  templateId?: Uuid
  /** Variant of the batch's test. */
  variant?: number
  fromDomain?: string
  status?: string
  deliveredAt?: string
  openedAt?: string
  humanOpenedAt?: string
  clickedAt?: string
  bouncedAt?: string
  bounceType?: string
  bounceSubType?: string
  complainedAt?: string
  unsubscribedAt?: string
}

/** Inserts rows of the ledger as they are after sending, in one statement. Returns their keys. */
export async function insertSent(
  sql: Sql,
  { organizationId, connectionId }: { organizationId: Uuid; connectionId: Uuid },
  mails: readonly SentMail[],
): Promise<{ bucket: Uuid; id: Uuid }[]> {
  const rows = mails.map((mail) => {
    const id = mail.bucket ? `${mail.bucket.slice(0, 28)}${uuidv7().slice(28)}` : uuidv7()
    return {
      channel: 'email',
      source: 'transactional',
      status: 'sent',
      ...mail,
      organizationId,
      connectionId,
      id,
      bucket: mail.bucket ?? dayBucket(id),
      dedupeKey: id,
      state: mail.sentAt === null ? 'failed' : 'sent',
    }
  })
  for (let from = 0; from < rows.length; from += 2_000) {
    await sql`
      insert into messages (organization_id, connection_id, bucket, id, dedupe_key, channel, source,
        batch_id, template_id, from_domain, state, status, sent_at, delivered_at, opened_at, human_opened_at,
        clicked_at, bounced_at, bounce_type, bounce_sub_type, complained_at, unsubscribed_at,
        variant)
      select "organizationId", "connectionId", bucket, id, "dedupeKey", channel, source, "batchId",
        "templateId", "fromDomain", state, status, "sentAt", "deliveredAt", "openedAt",
        "humanOpenedAt", "clickedAt", "bouncedAt", "bounceType", "bounceSubType", "complainedAt",
        "unsubscribedAt", variant
      from jsonb_to_recordset(${sql.json(rows.slice(from, from + 2_000))}) as r (
        "organizationId" uuid, "connectionId" uuid, bucket uuid, id uuid, "dedupeKey" uuid,
        channel text, source text, "batchId" uuid, "templateId" uuid, "fromDomain" text, state text, status text,
        "sentAt" timestamptz, "deliveredAt" timestamptz, "openedAt" timestamptz,
        "humanOpenedAt" timestamptz, "clickedAt" timestamptz, "bouncedAt" timestamptz,
        "bounceType" text, "bounceSubType" text, "complainedAt" timestamptz,
        "unsubscribedAt" timestamptz, variant smallint)`
  }
  return rows.map(({ bucket, id }) => ({ bucket, id }))
}

/** A bucket of a batch with room for rows by `batchRowId`. */
export const newBucket = (): Uuid => batchBucket()
export { batchRowId }

export interface Kept {
  organizationId: Uuid
  quarter: string
  bucket: Uuid
  source: string
  connectionId: Uuid
  templateId: Uuid | null
  domain: string | null
  figures: Record<string, number>
}

interface Ledger extends Required<Omit<SentMail, 'bucket'>> {
  organizationId: Uuid
  bucket: Uuid
  connectionId: Uuid
  variantTemplate: Uuid | null
  batchTemplate: Uuid | null
  batchFrom: string | null
}

const QUARTER_MS = 900_000
const SUPPRESSED = ['OnAccountSuppressionList', 'Suppressed']
const NONE = '00000000-0000-0000-0000-000000000000'

/**
 * Expected figures by key, counted one mail at a time from the logs, as the contract describes
 * them.
 */
export async function oracle(sql: Sql, organizationId?: Uuid): Promise<Record<string, object>> {
  const rows = await sql<Ledger[]>`
    select m.organization_id, m.bucket, m.source, m.batch_id, m.connection_id, m.template_id,
      m.from_domain, m.status, m.sent_at, m.delivered_at, m.opened_at, m.human_opened_at,
      m.clicked_at, m.bounced_at, m.bounce_type, m.bounce_sub_type, m.complained_at,
      m.unsubscribed_at, b.template_id as batch_template, b.from_address as batch_from,
      v.template_id as variant_template
    from messages m
    left join batches b on b.id = m.batch_id
    left join batch_variants v on v.batch_id = m.batch_id and v.position = m.variant
    where m.sent_at is not null and m.channel = 'email'
      ${organizationId === undefined ? sql`` : sql`and m.organization_id = ${organizationId}`}`
  const keptRows: Kept[] = rows.map((row) => {
    const isBounced = row.bouncedAt !== null
    const isSuppressed = isBounced && SUPPRESSED.includes(row.bounceSubType)
    const is = (type: string) => isBounced && !isSuppressed && row.bounceType === type
    const figures = {
      sent: true,
      delivered: row.deliveredAt !== null,
      bouncedPermanent: is('Permanent'),
      bouncedTransient: is('Transient'),
      bouncedUndetermined: isBounced && !isSuppressed && !is('Permanent') && !is('Transient'),
      complained: row.complainedAt !== null,
      suppressed: isSuppressed,
      opened: row.humanOpenedAt !== null,
      openedRaw: row.openedAt !== null || row.humanOpenedAt !== null,
      clicked: row.clickedAt !== null,
      unsubscribed: row.unsubscribedAt !== null,
      failed: row.status === 'failed',
      bouncedArrived:
        is('Transient') &&
        (row.deliveredAt ?? row.openedAt ?? row.clickedAt ?? row.complainedAt) !== null,
    }
    const quarter = Math.floor(Date.parse(row.sentAt ?? '') / QUARTER_MS) * QUARTER_MS
    return {
      organizationId: row.organizationId,
      quarter: new Date(quarter).toISOString(),
      bucket: row.bucket,
      source: row.source,
      connectionId: row.connectionId,
      templateId: row.variantTemplate ?? row.batchTemplate ?? row.templateId,
      domain: row.batchFrom?.split('@')[1] ?? row.fromDomain,
      figures: Object.fromEntries(Object.entries(figures).map(([name, is]) => [name, Number(is)])),
    }
  })
  return summed(keptRows)
}

/** Stored figures with summed parts. Keys without mails are left out. */
export async function kept(sql: Sql, organizationId?: Uuid): Promise<Record<string, object>> {
  const rows = await sql<
    (Omit<Kept, 'figures'> & Record<string, number> & { templateId: string; domain: string })[]
  >`
    select organization_id, quarter, bucket, source, connection_id, template_id, domain, sent,
      delivered, bounced_permanent, bounced_transient, bounced_undetermined, complained, suppressed,
      opened, opened_raw, clicked, unsubscribed, failed, bounced_arrived
    from mail_figures
    ${organizationId === undefined ? sql`` : sql`where organization_id = ${organizationId}`}`
  return summed(
    rows.map(
      ({
        organizationId: of,
        quarter,
        bucket,
        source,
        connectionId,
        templateId,
        domain,
        ...rest
      }) => ({
        organizationId: of,
        quarter,
        bucket,
        source,
        connectionId,
        templateId: templateId === NONE ? null : templateId,
        domain: domain === '' ? null : domain,
        figures: rest,
      }),
    ),
  )
}

export function summed(rows: readonly Kept[]): Record<string, object> {
  const sums = new Map<string, Record<string, number>>()
  for (const { figures, ...key } of rows) {
    const text = Object.values(key).join(' ')
    const sum = sums.get(text) ?? {}
    for (const [name, value] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + value
    sums.set(text, sum)
  }
  const filled = [...sums].filter(([, sum]) => Object.values(sum).some((value) => value !== 0))
  return Object.fromEntries(filled.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
