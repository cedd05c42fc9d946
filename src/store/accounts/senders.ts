import { type Check, verdictOf } from '../../domain/accounts/verification.ts'
import type { Executor, Sql } from '../db/sql.ts'

export interface SendingConnection {
  organizationId: string
  connectionId: string
  accountId: string
  region: string
  externalId: string
  isVerified: boolean
  verificationError: string | null
  disconnected: boolean
  /** Milliseconds since the last verification. Null: never verified. */
  verifiedAgoMs: number | null
  /** Mails a second that the provider allows. Null: never verified. */
  maxSendRate: number | null
  configurationSet: string | null
  configurationSetTriedAgoMs: number | null
  /** Queue of its delivery events. Null: events are posted to us. */
  eventQueueUrl: string | null
}

export const find = async (sql: Sql, organizationId: string, connectionId: string) => {
  const [sender] = await sql<SendingConnection[]>`
    select c.organization_id, c.id as connection_id, c.account_id, c.region, c.external_id,
      c.is_verified, c.verification_error, c.disconnected_at is not null as disconnected,
      (extract(epoch from clock_timestamp() - c.last_verified_at) * 1000)::float8 as verified_ago_ms,
      l.max_send_rate, c.configuration_set,
      (extract(epoch from clock_timestamp() - c.configuration_set_tried_at) * 1000)::float8
        as configuration_set_tried_ago_ms,
      c.event_queue_url
    from connections c
    left join sending_limits l on l.account_id = c.account_id and l.region = c.region
    where c.organization_id = ${organizationId} and c.id = ${connectionId}`
  return sender
}

/** Finds a connection of any organization, for operators, who name it alone. */
export async function findAny(sql: Sql, connectionId: string) {
  const [owner] = await sql<{ organizationId: string }[]>`
    select organization_id from connections where id::text = ${connectionId}`
  return owner && find(sql, owner.organizationId, connectionId)
}

export interface Checking {
  /** The caller must verify. All others wait for the result. */
  isMine: boolean
  /** Result, if the latest verification has ended. */
  result: { checks: Check[]; ageMs: number } | undefined
}

/**
 * Begins a verification unless one is running or ended less than `everyMs` ago. One without a
 * result for `mostMs` is abandoned, since its worker is gone. Undefined: no such connected account.
 */
export async function beginVerification(
  sql: Sql,
  { organizationId, connectionId }: Pick<SendingConnection, 'organizationId' | 'connectionId'>,
  { everyMs, mostMs }: { everyMs: number; mostMs: number },
): Promise<Checking | undefined> {
  const { count } = await sql`
    update connections
    set check_begun_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${connectionId} and disconnected_at is null
      and (check_begun_at is null
        or (checked_at >= check_begun_at
          and checked_at < statement_timestamp() - ${everyMs} * interval '1 millisecond')
        or check_begun_at < statement_timestamp() - ${mostMs} * interval '1 millisecond')`
  if (count > 0) return { isMine: true, result: undefined }
  const [row] = await sql<{ checks: Check[] | null; ageMs: number | null }[]>`
    select case when checked_at >= check_begun_at then checks end as checks,
      (extract(epoch from clock_timestamp() - checked_at) * 1000)::float8 as age_ms
    from connections
    where organization_id = ${organizationId} and id = ${connectionId} and disconnected_at is null`
  if (!row) return undefined
  const { checks, ageMs } = row
  return { isMine: false, result: checks && ageMs !== null ? { checks, ageMs } : undefined }
}

/**
 * Stores the result. An undecided one does not change whether mail may be sent. Returns whether
 * mail may be sent now and could not be before.
 */
export async function recordVerification(
  sql: Executor,
  { organizationId, connectionId }: Pick<SendingConnection, 'organizationId' | 'connectionId'>,
  { checks, maxSendRate }: { checks: readonly Check[]; maxSendRate: number | null },
): Promise<boolean> {
  const verdict = verdictOf(checks)
  const error = verdict.kind === 'refused' ? verdict.error : null
  const [connection] = await sql<{ wasVerified: boolean }[]>`
    update connections c
    set checks = ${sql.json(checks.map((check) => ({ ...check })))},
      checked_at = clock_timestamp(),
      max_send_rate = coalesce(${maxSendRate || null}, c.max_send_rate),
      ${
        verdict.kind === 'undecided'
          ? sql``
          : sql`is_verified = ${verdict.kind === 'verified'}, verification_error = ${error},
              last_verified_at = clock_timestamp(),
              first_verified_at = ${
                verdict.kind === 'verified'
                  ? sql`coalesce(c.first_verified_at, clock_timestamp())`
                  : sql`c.first_verified_at`
              },`
      }
      updated_at = clock_timestamp()
    from (
      select organization_id, id, is_verified
      from connections
      where organization_id = ${organizationId} and id = ${connectionId}
        and disconnected_at is null
      for update
    ) before
    where c.organization_id = before.organization_id and c.id = before.id
    returning before.is_verified as was_verified`
  return verdict.kind === 'verified' && connection?.wasVerified === false
}

/** Stores the outcome of a mail that named the configuration set. Null: mail does not name it. */
export const recordConfigurationSet = (
  sql: Sql,
  { organizationId, connectionId }: Pick<SendingConnection, 'organizationId' | 'connectionId'>,
  configurationSet: string | null,
) => sql`
  update connections
  set configuration_set = ${configurationSet}, configuration_set_tried_at = clock_timestamp(),
    configuration_set_since = case when ${configurationSet}::text is not null
      then coalesce(configuration_set_since, clock_timestamp()) end,
    updated_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${connectionId} and disconnected_at is null`

/**
 * Lists the connected ones of these connections, with the milliseconds since each was successfully
 * verified (null: it is not). For processes that hold their credentials.
 */
export const listConnected = (sql: Sql, ids: readonly string[]) => sql<
  { id: string; verifiedAgoMs: number | null }[]
>`
  select id, case when is_verified then
      (extract(epoch from clock_timestamp() - last_verified_at) * 1000)::float8
    end as verified_ago_ms
  from connections
  where id = any(${[...ids]}::uuid[]) and disconnected_at is null`
