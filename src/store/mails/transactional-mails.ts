import { CANCELLED } from '../../domain/mails/single-mail.ts'
import type { LogStatus } from '../../domain/status.ts'
import { dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'

export interface Tag {
  name: string
  value: string
}

export interface NewTransactionalMail {
  id: Uuid
  tags: readonly Tag[]
  retainBody: boolean
  /** Null: the mail is not sent. */
  sealed: Buffer | null
  /** ISO 8601. Null: the mail is not sent. */
  sealedUntil: string | null
}

/**
 * Inserts the API's part of mails. Their rows in the ledger come first, in the same transaction.
 * Contents are sent as an array of texts, since JSON of megabytes takes several times as long.
 */
export async function insertAll(
  tx: Transaction,
  organizationId: Uuid,
  mails: readonly NewTransactionalMail[],
): Promise<void> {
  await tx`
    insert into transactional_mails (organization_id, id, tags, retain_body, sealed, sealed_until)
    select ${organizationId}, id, tags, retain_body, decode(sealed, 'base64'), sealed_until
    from unnest(
      ${mails.map(({ id }) => id)}::uuid[],
      ${mails.map(({ tags }) => JSON.stringify(tags))}::text[]::jsonb[],
      ${mails.map(({ retainBody }) => String(retainBody))}::text[]::boolean[],
      ${mails.map(({ sealed }) => sealed?.toString('base64') ?? null)}::text[],
      ${mails.map(({ sealedUntil }) => sealedUntil)}::timestamptz[]
    ) as row (id, tags, retain_body, sealed, sealed_until)`
}

/** A mail as its sender may see it. */
export interface TransactionalMail {
  id: Uuid
  state: 'queued' | 'claimed' | 'sent' | 'failed' | 'skipped' | 'unknown'
  status: LogStatus
  reason: string | null
  error: string | null
  messageId: string | null
  recipient: string | null
  from: string | null
  replyTo: string | null
  subject: string | null
  templateId: Uuid | null
  connectionId: Uuid
  tags: Tag[]
  sendAt: string
  isDue: boolean
  bodyUntil: string | null
  claimedAt: string | null
  createdAt: string
  sentAt: string | null
  deliveredAt: string | null
  openedAt: string | null
  clickedAt: string | null
  bouncedAt: string | null
  complainedAt: string | null
}

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<TransactionalMail | undefined> {
  const bucket = dayBucket(id)
  const [mail] = await sql<TransactionalMail[]>`
    select m.id, m.state, m.status, m.reason, m.error, m.message_id, m.recipient,
      b.from_address as "from", b.reply_to, m.subject, m.template_id, m.connection_id, t.tags,
      m.send_at, m.send_at <= statement_timestamp() as is_due,
      case when t.retain_body then t.sealed_until end as body_until, m.claimed_at, m.created_at,
      m.sent_at, m.delivered_at, m.opened_at, m.clicked_at, m.bounced_at, m.complained_at
    from transactional_mails t
    join messages m on m.organization_id = ${organizationId} and m.bucket = ${bucket}
      and m.id = t.id and m.channel = 'email'
    left join message_bodies b on b.organization_id = ${organizationId} and b.bucket = ${bucket}
      and b.id = t.id
    where t.organization_id = ${organizationId} and t.id = ${id}`
  return mail
}

/** Reschedules a mail that is not claimed yet. Returns false if it does not wait. */
export async function reschedule(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  { sendAt, sealedUntil }: { sendAt: string; sealedUntil: string },
): Promise<boolean> {
  const bucket = dayBucket(id)
  const { count } = await tx`
    with moved as (
      update messages m
      set send_at = ${sendAt}
      from transactional_mails t
      where t.organization_id = ${organizationId} and t.id = ${id}
        and m.organization_id = ${organizationId} and m.bucket = ${bucket} and m.id = t.id
        and m.state = 'queued' and m.channel = 'email'
      returning m.id
    ), queued as (
      update mail_queue q
      set send_at = ${sendAt}
      from moved
      where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = moved.id
    )
    update transactional_mails t
    set sealed_until = ${sealedUntil}
    from moved
    where t.organization_id = ${organizationId} and t.id = moved.id`
  return count > 0
}

/** Cancels a mail that is not claimed yet. Returns false if it does not wait. */
export async function cancel(tx: Transaction, organizationId: Uuid, id: Uuid): Promise<boolean> {
  const bucket = dayBucket(id)
  const { count } = await tx`
    with moved as (
      update messages m
      set state = 'skipped', status = 'suppressed', reason = ${CANCELLED}
      from transactional_mails t
      where t.organization_id = ${organizationId} and t.id = ${id}
        and m.organization_id = ${organizationId} and m.bucket = ${bucket} and m.id = t.id
        and m.state = 'queued' and m.channel = 'email'
      returning m.id
    ), unqueued as (
      delete from mail_queue q
      using moved
      where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = moved.id
    )
    update transactional_mails t
    set sealed = null, sealed_until = null
    from moved
    where t.organization_id = ${organizationId} and t.id = moved.id`
  return count > 0
}

export interface FittingMail {
  id: Uuid
  bytes: number
  /** The mail came through the API. */
  isSealed: boolean
  /** Null: it is deleted, or the mail did not come through the API. */
  sealed: Uint8Array | null
  tags: Tag[] | null
}

/**
 * Returns the first of `ids`, and as many of the next ones as have at most `mostBytes` together, in
 * their order, with the contents of mails that came through the API. The length of a text is known
 * without reading it.
 */
export const listFitting = (
  sql: Sql,
  { organizationId, bucket, ids }: { organizationId: Uuid; bucket: Uuid; ids: readonly Uuid[] },
  mostBytes: number,
) => sql<FittingMail[]>`
  with sized as (
    select wanted.id, position, sealed.bytes is not null as is_sealed,
      coalesce(sealed.bytes, 0) + coalesce(body.bytes, 0) as bytes,
      sum(coalesce(sealed.bytes, 0) + coalesce(body.bytes, 0)) over (order by position) as total
    from unnest(${[...ids]}::uuid[]) with ordinality as wanted (id, position)
    left join lateral (
      select coalesce(octet_length(t.sealed), 0) as bytes
      from transactional_mails t
      where t.organization_id = ${organizationId} and t.id = wanted.id
      limit 1
    ) sealed on true
    left join lateral (
      select coalesce(octet_length(b.html), 0) + coalesce(octet_length(b.text), 0) as bytes
      from message_bodies b
      where b.organization_id = ${organizationId} and b.bucket = ${bucket} and b.id = wanted.id
      limit 1
    ) body on true
  )
  select sized.id, sized.bytes, sized.is_sealed, t.sealed, t.tags
  from sized
  left join transactional_mails t on t.organization_id = ${organizationId} and t.id = sized.id
  where position = 1 or total <= ${mostBytes}
  order by position`

export async function findSealed(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Uint8Array | undefined> {
  const [mail] = await sql<{ sealed: Uint8Array }[]>`
    select sealed
    from transactional_mails
    where organization_id = ${organizationId} and id = ${id} and retain_body
      and sealed_until > statement_timestamp()`
  return mail?.sealed
}

/** Time after which a mail without an outcome is checked again. */
const LOOK_AGAIN = '1 minute'
/** Limit of mails of one statement, since a row may have megabytes. */
const STEP = 1_000

/**
 * Deletes expired contents of settled mails. Returns true if there may be more.
 *
 * Each mail is in the partition of its day, which its id tells.
 */
export async function forgetContents(sql: Sql): Promise<boolean> {
  const dueMails = await sql<{ organizationId: Uuid; id: Uuid }[]>`
    select organization_id, id
    from transactional_mails
    where sealed_until <= statement_timestamp()
    order by sealed_until
    limit ${STEP}`
  if (dueMails.length === 0) return false
  await sql`
    update transactional_mails t
    set sealed = case when settled.is_settled then null else t.sealed end,
      sealed_until = case when settled.is_settled then null
        else clock_timestamp() + ${LOOK_AGAIN}::interval end
    from unnest(
      ${dueMails.map(({ organizationId }) => organizationId)}::uuid[],
      ${dueMails.map(({ id }) => id)}::uuid[],
      ${dueMails.map(({ id }) => dayBucket(id))}::uuid[]
    ) as due (organization_id, id, bucket)
    cross join lateral (
      select not exists (
        select
        from messages m
        where m.organization_id = due.organization_id and m.bucket = due.bucket and m.id = due.id
          and m.state in ('queued', 'claimed', 'unknown')
      ) as is_settled
    ) settled
    where t.organization_id = due.organization_id and t.id = due.id
      and t.sealed_until <= statement_timestamp()`
  return dueMails.length === STEP
}
