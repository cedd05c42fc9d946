import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** A message id in the events of one connection. */
export interface MessageKey {
  organizationId: Uuid
  connectionId: Uuid
  messageId: string
}

interface ExternalMailQuestion extends MessageKey {
  /** Time at which the provider accepted the mail (ISO 8601). */
  acceptedAt: string
  /** Time at which its event was received. */
  receivedAt: string
}

export interface ExternalMailAnswer {
  /** Our mail that was accepted under the message id. Null: none is known. */
  mail: { bucket: Uuid; id: Uuid } | null
  /** A call is open that may be this mail's. */
  mayBeOurs: boolean
}

const keyColumns = (sql: Executor, keys: readonly MessageKey[]) => sql`
  ${keys.map((key) => key.organizationId)}::uuid[],
  ${keys.map((key) => key.connectionId)}::uuid[],
  ${keys.map((key) => key.messageId)}::text[]`

/**
 * Finds our mails with these message ids, each within its connection. Returns one answer for each
 * of `asked`, in their order. It is one statement: an answered call records its message id and
 * deletes its claim in one transaction, so that this statement sees either the id or the claim.
 */
export async function findOurs(
  sql: Executor,
  asked: readonly ExternalMailQuestion[],
  { heldMs, clockSkewMs }: { heldMs: number; clockSkewMs: number },
): Promise<ExternalMailAnswer[]> {
  const ms = (value: number) => sql`${value} * interval '1 millisecond'`
  return sql<ExternalMailAnswer[]>`
    select case when m.id is not null then json_build_object('bucket', m.bucket, 'id', m.id) end as mail,
      w.received_at > statement_timestamp() - ${ms(heldMs)} and exists (
        select from claims k
        where k.organization_id = w.organization_id and k.connection_id = w.connection_id
          and k.channel = 'email'
          and k.claimed_at > statement_timestamp() - ${ms(heldMs)}
          and k.claimed_at <= w.accepted_at + ${ms(clockSkewMs)}
      ) as may_be_ours
    from unnest(
      ${keyColumns(sql, asked)},
      ${asked.map(({ acceptedAt }) => acceptedAt)}::timestamptz[],
      ${asked.map(({ receivedAt }) => receivedAt)}::timestamptz[]
    ) with ordinality
      as w (organization_id, connection_id, message_id, accepted_at, received_at, position)
    left join lateral (
      select bucket, id
      from message_ids
      where organization_id = w.organization_id and message_id = w.message_id
        and connection_id = w.connection_id
    ) m on true
    order by w.position`
}

/** A recipient of a mail that another program sent. */
export interface ExternalMail extends MessageKey {
  addressHash: Buffer
  bucket: Uuid
  id: Uuid
}

/**
 * Finds the row of each mail, or inserts one. Locks the rows in the order of their keys. `mails`
 * has each key once.
 */
export const remember = (tx: Transaction, mails: readonly ExternalMail[], lookMs: number) => tx<
  ExternalMail[]
>`
  insert into external_mails as e (organization_id, connection_id, message_id, address_hash, bucket,
    id, look_at)
  select organization_id, connection_id, message_id, decode(address_hash, 'hex'), bucket, id,
    clock_timestamp() + ${lookMs} * interval '1 millisecond'
  from unnest(
    ${keyColumns(tx, mails)},
    ${mails.map((mail) => mail.addressHash.toString('hex'))}::text[],
    ${mails.map(({ bucket }) => bucket)}::uuid[],
    ${mails.map(({ id }) => id)}::uuid[]
  ) as w (organization_id, connection_id, message_id, address_hash, bucket, id)
  order by 1, 3, 2, 4
  on conflict (organization_id, message_id, connection_id, address_hash) do update
  set id = e.id
  returning organization_id, connection_id, message_id, address_hash, bucket, id`

export interface NewMail extends MessageKey {
  bucket: Uuid
  id: Uuid
  recipient: string
  sentAt: string
  createdAt: string
}

/** Inserts the ledger's rows of other programs' mails as accepted by the provider. */
export const insertMails = (tx: Transaction, mails: readonly NewMail[]) => tx`
  insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id, recipient,
    state, status, message_id, sent_at, created_at)
  select organization_id, bucket, id, id, 'external', connection_id, recipient, 'sent', 'sent',
    message_id, sent_at, created_at
  from unnest(
    ${keyColumns(tx, mails)},
    ${mails.map(({ bucket }) => bucket)}::uuid[],
    ${mails.map(({ id }) => id)}::uuid[],
    ${mails.map(({ recipient }) => recipient)}::text[],
    ${mails.map(({ sentAt }) => sentAt)}::timestamptz[],
    ${mails.map(({ createdAt }) => createdAt)}::timestamptz[]
  ) as w (organization_id, connection_id, message_id, bucket, id, recipient, sent_at, created_at)`

/** Locks mails whose message ids are due for another look-up. Other workers take others. */
export const lockDue = (tx: Transaction, limit: number) => tx<
  (ExternalMail & { isOurs: boolean })[]
>`
  with due as materialized (
    select *
    from external_mails
    where look_at <= statement_timestamp()
    order by look_at
    limit ${limit}
    for update skip locked
  )
  select due.organization_id, due.connection_id, due.message_id, due.address_hash, due.bucket,
    due.id, m.found is not null as is_ours
  from due
  left join lateral (
    select true as found
    from message_ids
    where organization_id = due.organization_id and message_id = due.message_id
      and connection_id = due.connection_id
  ) m on true`

/** Sets the time of the next look-up. Null: none. */
export const lookAgain = (
  tx: Transaction,
  mails: readonly (ExternalMail & { waitMs: number | null })[],
) => tx`
  update external_mails e
  set look_at = clock_timestamp() + w.wait_ms * interval '1 millisecond'
  from unnest(
    ${keyColumns(tx, mails)},
    ${mails.map((mail) => mail.addressHash.toString('hex'))}::text[],
    ${mails.map(({ waitMs }) => waitMs)}::float8[]
  ) as w (organization_id, connection_id, message_id, address_hash, wait_ms)
  where e.organization_id = w.organization_id and e.message_id = w.message_id
    and e.connection_id = w.connection_id and e.address_hash = decode(w.address_hash, 'hex')`

interface Row {
  organizationId: Uuid
  bucket: Uuid
  ids: readonly Uuid[]
}

export interface KeptTimeline {
  connectionId: Uuid
  messageId: string
  subject: string | null
  sentAt: string
  kind: string
  occurredAt: string
  data: Record<string, unknown>
}

/** Lists the stored events of rows of one bucket. */
export const listTimelines = (tx: Transaction, { organizationId, bucket, ids }: Row) => tx<
  KeptTimeline[]
>`
  select m.connection_id, m.message_id, m.subject, m.sent_at, d.kind, d.occurred_at, d.data
  from messages m
  join delivery_events d on d.organization_id = ${organizationId} and d.bucket = ${bucket}
    and d.log_id = m.id
  where m.organization_id = ${organizationId} and m.bucket = ${bucket}
    and m.id = any(${[...ids]}::uuid[])
  order by d.occurred_at`

/** Deletes rows of one bucket that turned out to be our mails. */
export async function remove(tx: Transaction, { organizationId, bucket, ids }: Row): Promise<void> {
  const rows = [...ids].toSorted()
  await tx`
    delete from messages
    where organization_id = ${organizationId} and bucket = ${bucket}
      and id = any(${rows}::uuid[]) and source = 'external'`
  await tx`
    delete from delivery_events
    where organization_id = ${organizationId} and bucket = ${bucket}
      and log_id = any(${rows}::uuid[])`
}

export const forget = (tx: Transaction, mails: readonly ExternalMail[]) => tx`
  delete from external_mails e
  using unnest(
    ${keyColumns(tx, mails)},
    ${mails.map((mail) => mail.addressHash.toString('hex'))}::text[]
  ) as w (organization_id, connection_id, message_id, address_hash)
  where e.organization_id = w.organization_id and e.message_id = w.message_id
    and e.connection_id = w.connection_id and e.address_hash = decode(w.address_hash, 'hex')`
