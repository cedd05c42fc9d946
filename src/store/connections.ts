import type { Uuid } from '../ids.ts'
import type { Connection } from '../schemas/connection.ts'
import type { Executor, Json } from './sql.ts'

export interface NewConnection {
  organizationId: Uuid
  id: Uuid
  accountId: string
  region: string
  name: string | undefined
  features: Record<string, unknown> | undefined
  externalId: string
  secretHash: Buffer
}

export interface Registered {
  id: Uuid
  externalId: string
  created: boolean
}

/**
 * Registers an account and region of the organization, or updates it: the external id stays (it is
 * in the customer's trust policy), the secret is the new one, and the one before works for 24 hours
 * more, so that renaming a connection loses no event. A disconnected one lives again, unverified.
 */
export async function register(sql: Executor, connection: NewConnection): Promise<Registered> {
  const [registered] = await sql<Registered[]>`
    insert into connections as old
      (organization_id, id, account_id, region, name, features, external_id, secret_hash)
    values (${connection.organizationId}, ${connection.id}, ${connection.accountId},
      ${connection.region}, ${connection.name ?? null},
      ${sql.json((connection.features ?? {}) as Json)},
      ${connection.externalId}, ${connection.secretHash})
    on conflict (organization_id, account_id, region) do update
    set name = coalesce(excluded.name, old.name),
      features = ${connection.features === undefined ? sql`old.features` : sql`excluded.features`},
      secret_hash = excluded.secret_hash,
      previous_secret_hash = old.secret_hash,
      previous_secret_until = case
        when old.secret_hash is not null then now() + interval '24 hours'
      end,
      is_verified = old.is_verified and old.disconnected_at is null,
      disconnected_at = null,
      updated_at = greatest(old.updated_at, now())
    returning id, external_id, id = ${connection.id} as created`
  if (!registered) throw new Error('an upsert returned no row')
  return registered
}

/**
 * How many accounts are connected; a disconnected one has given its place back. 0 when the given
 * one is among them: it has its place.
 */
export async function countUnless(
  sql: Executor,
  given: Pick<NewConnection, 'organizationId' | 'accountId' | 'region'>,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select case
        when bool_or(account_id = ${given.accountId} and region = ${given.region}) then 0
        else count(*)
      end as count
    from connections
    where organization_id = ${given.organizationId} and disconnected_at is null`
  return row?.count ?? 0
}

/** Newest first, disconnected ones too. */
export const list = (sql: Executor, organizationId: Uuid) => sql<Connection[]>`
  select id, account_id, name, region,
    coalesce(features -> 'email' <> 'false'::jsonb, true) as email_enabled,
    coalesce(features -> 'sms' = 'true'::jsonb, false) as sms_enabled,
    is_verified, verification_error,
    last_event_received_at is not null and disconnected_at is null as webhook_connected,
    last_verified_at, last_event_received_at, disconnected_at, created_at
  from connections
  where organization_id = ${organizationId}
  order by id desc`

/** What is asked of the provider on behalf of an account. */
export interface Account {
  id: Uuid
  accountId: string
  region: string
  disconnectedAt: string | null
}

/** The connected ones, in the order they were made. */
export const listAccounts = (sql: Executor, organizationId: Uuid) => sql<Account[]>`
  select id, account_id, region, disconnected_at
  from connections
  where organization_id = ${organizationId} and disconnected_at is null
  order by id`

/** Also a disconnected one. */
export async function findAccount(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Account | undefined> {
  const [account] = await sql<Account[]>`
    select id, account_id, region, disconnected_at
    from connections
    where organization_id = ${organizationId} and id = ${id}`
  return account
}

/** What a batch asks of the account it is to be sent through. */
export interface Sender {
  id: Uuid
  lastEventReceivedAt: string | null
  disconnectedAt: string | null
}

export async function findSender(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Sender | undefined> {
  const [sender] = await sql<Sender[]>`
    select id, last_event_received_at, disconnected_at
    from connections
    where organization_id = ${organizationId} and id = ${id}`
  return sender
}

/** Up to two connected accounts: whether there is exactly one is all that is asked. */
export const listSenders = (sql: Executor, organizationId: Uuid) => sql<Sender[]>`
  select id, last_event_received_at, disconnected_at
  from connections
  where organization_id = ${organizationId} and disconnected_at is null
  order by id
  limit 2`

/**
 * Stops everything that goes through the account and keeps its record. False: no such connection.
 */
export async function disconnect(sql: Executor, organizationId: Uuid, id: Uuid): Promise<boolean> {
  const { count } = await sql`
    update connections
    set secret_hash = null,
      previous_secret_hash = null,
      previous_secret_until = null,
      disconnected_at = coalesce(disconnected_at, now()),
      updated_at = greatest(updated_at, now())
    where organization_id = ${organizationId} and id = ${id}`
  return count > 0
}

/** What proves that a delivery event comes from an account's own event bus. */
export interface WebhookProof {
  organizationId: Uuid
  id: Uuid
  accountId: string
  region: string
  secretHash: Buffer
  previousSecretHash: Buffer | null
  previousSecretUntil: string | null
}

/** Every connection of an account number. Crosses organizations: the secret decides which it is. */
export const listProofs = (sql: Executor, accountId: string) => sql<WebhookProof[]>`
  select organization_id, id, account_id, region, secret_hash, previous_secret_hash,
    previous_secret_until
  from webhook_proofs(${accountId})`

/** Notes that an event arrived, at most once a second: a hot row must not be written per event. */
export const noteEvent = (sql: Executor, organizationId: Uuid, id: Uuid) => sql`
  update connections
  set last_event_received_at = now()
  where organization_id = ${organizationId}
    and id = ${id}
    and (last_event_received_at is null or last_event_received_at < now() - interval '1 second')`
