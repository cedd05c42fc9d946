import type { Check, CONNECTION_WARNINGS } from '../../domain/accounts/verification.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Connection } from '../../schemas/accounts/connection.ts'
import type { Executor, Part, Transaction } from '../db/sql.ts'

export interface NewConnection {
  organizationId: Uuid
  id: Uuid
  accountId: string
  region: string
  name: string | undefined
  features: Record<string, unknown> | undefined
  externalId: string
}

export interface Registered {
  id: Uuid
  externalId: string
  created: boolean
}

/**
 * Registers an account and region of the organization, or updates it. The external id stays, since
 * the customer's trust policy contains it. A disconnected account is connected again, unverified,
 * and is verified at once: earlier results do not count. Until the transaction ends no other one
 * registers, rotates or disconnects it.
 */
export async function register(sql: Transaction, connection: NewConnection): Promise<Registered> {
  const [registered] = await sql<Registered[]>`
    insert into connections as old
      (organization_id, id, account_id, region, name, features, external_id)
    values (${connection.organizationId}, ${connection.id}, ${connection.accountId},
      ${connection.region}, ${connection.name ?? null},
      ${sql.json(connection.features ?? {})}, ${connection.externalId})
    on conflict (organization_id, account_id, region) do update
    set name = coalesce(excluded.name, old.name),
      features = ${connection.features === undefined ? sql`old.features` : sql`excluded.features`},
      is_verified = old.is_verified and old.disconnected_at is null,
      verification_error = case when old.disconnected_at is null then old.verification_error end,
      last_verified_at = case when old.disconnected_at is null then old.last_verified_at end,
      checks = case when old.disconnected_at is null then old.checks end,
      check_begun_at = case when old.disconnected_at is null then old.check_begun_at end,
      checked_at = case when old.disconnected_at is null then old.checked_at end,
      configuration_set = case when old.disconnected_at is null then old.configuration_set end,
      configuration_set_tried_at =
        case when old.disconnected_at is null then old.configuration_set_tried_at end,
      configuration_set_since =
        case when old.disconnected_at is null then old.configuration_set_since end,
      disconnected_at = null,
      updated_at = greatest(old.updated_at, now())
    returning id, external_id, id = ${connection.id} as created`
  if (!registered) throw new Error('an upsert returned no row')
  return registered
}

/**
 * Counts connected accounts, without disconnected ones. 0 if the given one is among them, since it
 * needs no further place.
 */
export async function countUnless(
  sql: Executor,
  account: Pick<NewConnection, 'organizationId' | 'accountId' | 'region'>,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select case
        when bool_or(account_id = ${account.accountId} and region = ${account.region}) then 0
        else count(*)
      end as count
    from connections
    where organization_id = ${account.organizationId} and disconnected_at is null`
  return row?.count ?? 0
}

export async function countRecords(sql: Executor, organizationId: Uuid): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count
    from connections
    where organization_id = ${organizationId}`
  return row?.count ?? 0
}

/** Problems of a connection that do not prevent sending: `CONNECTION_WARNINGS`. */
const warnings = (sql: Executor) => sql`
  to_jsonb(array_remove(array[
    case when is_verified and disconnected_at is null and configuration_set is null
      then 'no_configuration_set' end,
    case when is_verified and disconnected_at is null and last_event_received_at is null
      then 'no_events' end,
    ${eventProblems(sql)},
    case when disconnected_at is null and exists (
      select from unapplied_events u
      where u.organization_id = connections.organization_id and u.connection_id = connections.id
        and u.day >= current_date - 1 and u.dropped <> '{}'
    ) then 'events_not_kept' end
  ], null))`

export const eventProblems = (sql: Executor, connection = sql`connections`) => sql`
  case when ${connection}.disconnected_at is null and ${connection}.events_missing_since
      > coalesce(${connection}.last_event_received_at, '-infinity')
    then 'events_missing' end,
  case when ${connection}.disconnected_at is null then (
    select 'event_queue_' || problem
    from event_queue_polls p
    where p.organization_id = ${connection}.organization_id and p.connection_id = ${connection}.id
  ) end`

/** Whether the organization sends text messages through a connection. */
export const isSmsEnabled = (sql: Executor, connection: Part = sql`connections`) => sql`
  coalesce(${connection}.features -> 'sms' = 'true'::jsonb, false)`

const wireColumns = (sql: Executor) => sql`
  id, account_id, name, region,
  coalesce(features -> 'email' <> 'false'::jsonb, true) as email_enabled,
  ${isSmsEnabled(sql)} as sms_enabled,
  is_verified, verification_error, ${warnings(sql)} as warnings,
  last_event_received_at is not null and disconnected_at is null as webhook_connected,
  sns_topic_arn, event_queue_url, last_verified_at, last_event_received_at, disconnected_at,
  created_at`

/** Lists connections newest first, including disconnected ones. */
export const list = (sql: Executor, organizationId: Uuid) => sql<Connection[]>`
  select ${wireColumns(sql)}
  from connections
  where organization_id = ${organizationId}
  order by id desc`

export interface Account {
  id: Uuid
  accountId: string
  region: string
  externalId: string
  disconnectedAt: string | null
}

export const listAccounts = (sql: Executor, organizationId: Uuid) => sql<Account[]>`
  select id, account_id, region, external_id, disconnected_at
  from connections
  where organization_id = ${organizationId} and disconnected_at is null
  order by id`

export async function findAccount(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Account | undefined> {
  const [account] = await sql<Account[]>`
    select id, account_id, region, external_id, disconnected_at
    from connections
    where organization_id = ${organizationId} and id = ${id}`
  return account
}

export interface SetupAccount extends Account {
  maxSendRate: number | null
  smsEnabled: boolean
}

export async function findSetup(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<SetupAccount | undefined> {
  const [setup] = await sql<SetupAccount[]>`
    select id, account_id, region, external_id, disconnected_at, max_send_rate,
      ${isSmsEnabled(sql)} as sms_enabled
    from connections
    where organization_id = ${organizationId} and id = ${id}`
  return setup
}

/** Undefined leaves a field unchanged. Secrets do not change. */
export interface Changes {
  name: string | null | undefined
  snsTopicArn: string | null | undefined
  eventQueueUrl: string | null | undefined
}

export async function change(
  sql: Executor,
  { organizationId, id }: { organizationId: Uuid; id: Uuid },
  { name, snsTopicArn, eventQueueUrl }: Changes,
): Promise<Connection | undefined> {
  const [changed] = await sql<Connection[]>`
    update connections
    set name = ${name === undefined ? sql`name` : name},
      sns_topic_arn = ${snsTopicArn === undefined ? sql`sns_topic_arn` : snsTopicArn},
      event_queue_url = ${eventQueueUrl === undefined ? sql`event_queue_url` : eventQueueUrl},
      updated_at = greatest(updated_at, now())
    where organization_id = ${organizationId} and id = ${id}
    returning ${wireColumns(sql)}`
  return changed
}

export interface Verification {
  isVerified: boolean
  verificationError: string | null
  warnings: (typeof CONNECTION_WARNINGS)[number][]
  checkedAt: string | null
  /** Milliseconds since its end. Null: none has ended yet, or one is running. */
  agoMs: number | null
  checks: Check[] | null
  disconnectedAt: string | null
}

export async function findVerification(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Verification | undefined> {
  const [verification] = await sql<Verification[]>`
    select is_verified, verification_error, ${warnings(sql)} as warnings, checked_at, checks,
      disconnected_at,
      case when checked_at >= check_begun_at then
        (extract(epoch from clock_timestamp() - checked_at) * 1000)::float8
      end as ago_ms
    from connections
    where organization_id = ${organizationId} and id = ${id}`
  return verification
}

export interface Sender {
  id: Uuid
  receivesEvents: boolean
  smsEnabled: boolean
  disconnectedAt: string | null
}

const senderColumns = (sql: Executor) => sql`
  id, disconnected_at,
  coalesce(last_event_received_at > statement_timestamp() - interval '24 hours', false)
    as receives_events, ${isSmsEnabled(sql)} as sms_enabled`

export async function findSender(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Sender | undefined> {
  const [sender] = await sql<Sender[]>`
    select ${senderColumns(sql)}
    from connections
    where organization_id = ${organizationId} and id = ${id}`
  return sender
}

/**
 * Lists up to two connected accounts, of all or of one number, which shows whether there is exactly
 * one.
 */
export const listSenders = (sql: Executor, organizationId: Uuid, accountId?: string) => sql<
  Sender[]
>`
  select ${senderColumns(sql)}
  from connections
  where organization_id = ${organizationId} and disconnected_at is null
    ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
  order by id
  limit 2`

/**
 * Disconnects a connection. Its record stays, with the first time of disconnection. Returns false
 * if it is disconnected already. Undefined: no such connection.
 */
export async function markDisconnected(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<boolean | undefined> {
  const [marked] = await tx<{ isNew: boolean }[]>`
    update connections c
    set disconnected_at = coalesce(c.disconnected_at, now()),
      updated_at = greatest(c.updated_at, now())
    from (
      select disconnected_at
      from connections
      where organization_id = ${organizationId} and id = ${id}
      for update
    ) was
    where c.organization_id = ${organizationId} and c.id = ${id}
    returning was.disconnected_at is null as is_new`
  return marked?.isNew
}

/**
 * Records that an event arrived, at most once a second, since a hot row must not be written for
 * each event.
 */
export const noteEvent = (sql: Executor, organizationId: Uuid, id: Uuid) => sql`
  update connections
  set last_event_received_at = now()
  where organization_id = ${organizationId}
    and id = ${id}
    and (last_event_received_at is null or last_event_received_at < now() - interval '1 second')`

/** Lists a page of connections without a check, in the order of their ids. */
export const listUnchecked = (sql: Executor, after: Uuid | undefined, limit: number) => sql<
  { organizationId: Uuid; id: Uuid }[]
>`
  select organization_id, id
  from connections
  where checked_at is null and disconnected_at is null
    ${after === undefined ? sql`` : sql`and id > ${after}`}
  order by id
  limit ${limit}`
