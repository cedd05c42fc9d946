import type { Addressed } from '../../domain/address.ts'
import {
  joined,
  type PhoneConsent,
  reasonOf,
  UNKNOWN_PHONE,
} from '../../domain/consent/phone-consent.ts'
import type { PhoneReason } from '../../domain/consent/sms-status.ts'
import { uuidv7, type Uuid } from '../../runtime/ids.ts'
import type { Suppression } from '../../schemas/consent/suppression.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import type { EntrySource, ListFilters } from './suppressions.ts'

/**
 * Returns a function that gives what is known of a number. An entry under a retired HMAC key counts
 * like one under the present key.
 */
export async function lookUp(
  sql: Executor,
  phones: readonly { organizationId: Uuid; address: Addressed }[],
): Promise<(phone: Addressed) => PhoneConsent> {
  if (phones.length === 0) return () => UNKNOWN_PHONE
  const keys = phones.flatMap(({ organizationId, address }) =>
    address.keys.map(({ key }) => ({ organizationId, key })),
  )
  // Separate look-ups, since a young table has no statistics and a join could read the whole list.
  const rows = await sql<(PhoneConsent & { key: string })[]>`
    select wanted.key, found.*
    from unnest(
      ${keys.map(({ organizationId }) => organizationId)}::uuid[],
      ${keys.map(({ key }) => key)}::text[]
    ) as wanted (organization_id, key)
    cross join lateral (
      select stopped_at, started_at, invalid_at
      from phone_consents
      where organization_id = wanted.organization_id and address_key = decode(wanted.key, 'hex')
      limit 1
    ) found`
  const consents = new Map(rows.map(({ key, ...consent }) => [key, consent]))
  return ({ keys: ofPhone }) =>
    ofPhone.map(({ key }) => consents.get(key) ?? UNKNOWN_PHONE).reduce(joined)
}

export interface PhoneEntry {
  organizationId: Uuid
  address: Addressed
  consent: PhoneConsent
  source: EntrySource
}

/**
 * Stores what is known of numbers, each once. The numbers are locked for `update`, and what was
 * known before is part of it. Entries under retired HMAC keys are replaced.
 */
export async function put(tx: Transaction, entries: readonly PhoneEntry[]): Promise<void> {
  if (entries.length === 0) return
  const retired = entries.flatMap(({ organizationId, address: { keys } }) =>
    keys.slice(1).map(({ key }) => ({ organizationId, key })),
  )
  if (retired.length > 0) {
    await tx`
      delete from phone_consents
      using unnest(
        ${retired.map(({ organizationId }) => organizationId)}::uuid[],
        ${retired.map(({ key }) => key)}::text[]
      ) as retired (organization_id, key)
      where phone_consents.organization_id = retired.organization_id
        and address_key = decode(retired.key, 'hex')`
  }
  await tx`
    insert into phone_consents (organization_id, id, key_id, address_key, reason, stopped_at,
      started_at, invalid_at, source, address)
    select given.organization_id, given.id, given.key_id, decode(given.key, 'hex'), given.reason,
      given.stopped_at, given.started_at, given.invalid_at, given.source, given.address
    from unnest(
      ${entries.map(({ organizationId }) => organizationId)}::uuid[],
      ${entries.map(() => uuidv7())}::uuid[],
      ${entries.map(({ address }) => address.keys[0].keyId)}::text[],
      ${entries.map(({ address }) => address.keys[0].key)}::text[],
      ${entries.map(({ consent }) => reasonOf(consent) ?? null)}::text[],
      ${entries.map(({ consent }) => consent.stoppedAt)}::timestamptz[],
      ${entries.map(({ consent }) => consent.startedAt)}::timestamptz[],
      ${entries.map(({ consent }) => consent.invalidAt)}::timestamptz[],
      ${entries.map(({ source }) => source)}::text[],
      ${entries.map(({ address }) => address.text)}::text[]
    ) as given (organization_id, id, key_id, key, reason, stopped_at, started_at, invalid_at,
      source, address)
    on conflict (organization_id, address_key) do update
    set reason = excluded.reason,
      stopped_at = excluded.stopped_at,
      started_at = excluded.started_at,
      invalid_at = excluded.invalid_at,
      source = excluded.source,
      address = coalesce(excluded.address, phone_consents.address),
      updated_at = greatest(phone_consents.updated_at, now())`
}

/** Removes all that is known of a number. */
export async function remove(
  tx: Transaction,
  organizationId: Uuid,
  address: Addressed,
): Promise<void> {
  await tx`
    delete from phone_consents
    where organization_id = ${organizationId} and address_key = any(${keysOf(tx, address)})`
}

/**
 * Erases the text of numbers from their entries, which remain effective without it. The text stays
 * if a contact has the number again.
 */
export async function forgetPhones(
  sql: Executor,
  organizationId: Uuid,
  phones: readonly Addressed[],
): Promise<void> {
  if (phones.length === 0) return
  const keys = phones.flatMap((phone) => phone.keys.map(({ key }) => key))
  await sql`
    update phone_consents p
    set address = null, updated_at = greatest(p.updated_at, now())
    where p.organization_id = ${organizationId} and p.address is not null
      and p.address_key in (select decode(key, 'hex') from unnest(${keys}::text[]) as key)
      and not exists (
        select
        from contacts c
        where c.organization_id = ${organizationId} and c.phone = p.address
      )`
}

const shownColumns = (sql: Executor) => sql`
  id, 'sms' as channel, null as email, address as phone, reason, source, created_at, updated_at`

/** Numbers that are not texted. */
export const list = (
  sql: Executor,
  organizationId: Uuid,
  { reason, address, before, limit }: ListFilters<PhoneReason>,
) => sql<Suppression[]>`
  select ${shownColumns(sql)}
  from phone_consents
  where organization_id = ${organizationId} and reason is not null
    ${before === undefined ? sql`` : sql`and id < ${before}`}
    ${reason === undefined ? sql`` : sql`and reason = ${reason}`}
    ${address === undefined ? sql`` : sql`and address_key = any(${keysOf(sql, address)})`}
  order by id desc
  limit ${limit}`

/** Returns the entry of a number that is not texted. */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  address: Addressed,
): Promise<Suppression | undefined> {
  const [entry] = await sql<Suppression[]>`
    select ${shownColumns(sql)}
    from phone_consents
    where organization_id = ${organizationId} and reason is not null
      and address_key = any(${keysOf(sql, address)})`
  return entry
}

const keysOf = (sql: Executor, { keys }: Addressed) => sql`array(
  select decode(key, 'hex')
  from unnest(${keys.map(({ key }) => key)}::text[]) as key
)`
