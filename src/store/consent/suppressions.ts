import { ADDRESS_STRIPES, type Addressed } from '../../domain/address.ts'
import type { EmailStatus } from '../../domain/status.ts'
import { EMAIL_STATUSES } from '../../domain/status.ts'
import { type Uuid, uuidv7, span } from '../../runtime/ids.ts'
import type { Suppression } from '../../schemas/consent/suppression.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export type Reason = Exclude<EmailStatus, 'active'>
export type EntrySource = 'link' | 'event' | 'api' | 'import'

export interface Entry {
  address: Addressed
  reason: Reason
  source: EntrySource
}

/**
 * Locks the addresses until the transaction ends. Call it before locking contacts: first messages,
 * then addresses, then contacts.
 *
 * A write of an address into a contact reads the list under `share`; a write of the list looks for
 * the contact under `update`. So of two concurrent writes of one address one sees the other. There
 * are at most 64 locks for an organization: an import has thousands of addresses, and Postgres has
 * room for some thousands of locks in all.
 */
export const lock = (
  tx: Transaction,
  organizationId: Uuid,
  addresses: readonly Addressed[],
  mode: 'share' | 'update',
): Promise<void> =>
  lockEach(
    tx,
    addresses.map((address) => ({ organizationId, address })),
    mode,
  )

/** Locks addresses of several organizations. */
export async function lockEach(
  tx: Transaction,
  addresses: readonly { organizationId: Uuid; address: Addressed }[],
  mode: 'share' | 'update',
): Promise<void> {
  if (addresses.length === 0) return
  const key = tx`hashtextextended(organization_id, stripe)`
  await tx`
    select ${mode === 'share' ? tx`pg_advisory_xact_lock_shared(${key})` : tx`pg_advisory_xact_lock(${key})`}
    from (
      select distinct organization_id, stripe
      from unnest(
        ${addresses.map(({ organizationId }) => organizationId)}::text[],
        ${addresses.map(({ address: { stripe } }) => stripe % ADDRESS_STRIPES)}::int[]
      ) as given (organization_id, stripe)
      order by organization_id, stripe
    ) sorted`
}

export async function lookUp(
  sql: Executor,
  organizationId: Uuid,
  addresses: readonly Addressed[],
): Promise<(address: Addressed) => Reason | undefined> {
  if (addresses.length === 0) return () => undefined
  const keys = addresses.flatMap((address) => address.keys.map(({ key }) => key))
  // Separate look-ups, since a young table has no statistics and a join could read the whole list.
  const rows = await sql<{ key: string; reason: Reason | null }[]>`
    select key, (
      select reason
      from suppressions
      where organization_id = ${organizationId} and address_key = decode(key, 'hex')
    ) as reason
    from unnest(${keys}::text[]) as key`
  const reasons = new Map(rows.flatMap(({ key, reason }) => (reason ? [[key, reason]] : [])))
  return ({ keys }) => keys.map(({ key }) => reasons.get(key)).find((reason) => reason)
}

/**
 * Adds addresses to the list, or worsens the reason of their entries, but never improves it. An
 * entry under a retired HMAC key moves to the present key. The addresses are locked for `update`.
 */
export const put = (
  tx: Transaction,
  organizationId: Uuid,
  entries: readonly Entry[],
): Promise<void> =>
  putEach(
    tx,
    entries.map((entry) => ({ organizationId, ...entry })),
  )

type OwnedEntry = Entry & { organizationId: Uuid }

/**
 * Adds entries for several organizations. No two of them share a key, which stands for the address
 * and its organization.
 */
export async function putEach(tx: Transaction, entries: readonly OwnedEntry[]): Promise<void> {
  if (entries.length === 0) return
  const worst = new Map<string, OwnedEntry>()
  for (const entry of entries) {
    const { key } = entry.address.keys[0]
    const worstEntry = worst.get(key)
    if (worstEntry === undefined || isWorse(entry.reason, worstEntry.reason)) worst.set(key, entry)
  }
  const worstEntries = [...worst.values()]
  await worsen(tx, worstEntries)
  await tx`
    insert into suppressions (organization_id, id, key_id, address_key, reason, source, address)
    select given.organization_id, given.id, given.key_id, decode(given.key, 'hex'), given.reason,
      given.source, given.address
    from ${columns(tx, worstEntries)}
    on conflict (organization_id, address_key) do nothing`
}

async function worsen(tx: Transaction, entries: readonly OwnedEntry[]): Promise<void> {
  const keys = entries.flatMap(({ organizationId, address: { keys } }) =>
    keys.map(({ key }) => ({ organizationId, key, current: keys[0].key })),
  )
  const keyRows = await tx<(Omit<ListedEntry, 'id'> & { id: Uuid | null })[]>`
    select wanted.organization_id, (
      select id
      from suppressions
      where organization_id = wanted.organization_id and address_key = decode(wanted.key, 'hex')
    ) as id, wanted.current
    from unnest(
      ${keys.map(({ organizationId }) => organizationId)}::uuid[],
      ${keys.map(({ key }) => key)}::text[], ${keys.map(({ current }) => current)}::text[]
    ) as wanted (organization_id, key, current)`
  const listedEntries = keyRows.flatMap(({ id, ...entry }) =>
    id === null ? [] : [{ id, ...entry }],
  )
  if (listedEntries.length === 0) return
  const isTwice = listedEntries.length > new Set(listedEntries.map(({ current }) => current)).size
  if (isTwice) await leaveWorst(tx, listedEntries)
  const [first, last] = span(listedEntries.map(({ id }) => id))
  await tx`
    update suppressions s
    set address_key = decode(given.key, 'hex'),
      key_id = given.key_id,
      reason = case
        when array_position(${RANKING}::text[], given.reason) > array_position(${RANKING}::text[], s.reason)
        then given.reason else s.reason end,
      source = case
        when array_position(${RANKING}::text[], given.reason) > array_position(${RANKING}::text[], s.reason)
        then given.source else s.source end,
      address = coalesce(given.address, s.address),
      updated_at = greatest(s.updated_at, now())
    from ${listedColumns(tx, listedEntries)}
    join ${columns(tx, entries)} on given.organization_id = held.organization_id
      and given.key = held.current
    where s.organization_id = held.organization_id and s.id between ${first} and ${last}
      and s.id = held.id`
}

/** An entry that is on a list already, and the key that it has under the present HMAC key. */
interface ListedEntry {
  organizationId: Uuid
  id: Uuid
  current: string
}

const listedColumns = (tx: Transaction, listedEntries: readonly ListedEntry[]) => tx`
  unnest(
    ${listedEntries.map(({ organizationId }) => organizationId)}::uuid[],
    ${listedEntries.map(({ id }) => id)}::uuid[],
    ${listedEntries.map(({ current }) => current)}::text[]
  ) as held (organization_id, id, current)`

/**
 * During a change of keys, processes of the old and the new keys may each make an entry of an
 * address. The worst of them remains.
 */
async function leaveWorst(tx: Transaction, listedEntries: readonly ListedEntry[]): Promise<void> {
  await tx`
    delete from suppressions s
    using (
      select e.organization_id, e.id, row_number() over (
        partition by held.organization_id, held.current
        order by array_position(${RANKING}::text[], e.reason) desc, e.id
      ) as place
      from ${listedColumns(tx, listedEntries)}
      join suppressions e on e.organization_id = held.organization_id and e.id = held.id
    ) ranked
    where s.organization_id = ranked.organization_id and s.id = ranked.id and ranked.place > 1`
}

export async function remove(
  tx: Transaction,
  organizationId: Uuid,
  addresses: readonly Addressed[],
): Promise<{ reason: Reason; address: string | null }[]> {
  if (addresses.length === 0) return []
  const keys = addresses.flatMap((address) => address.keys.map(({ key }) => key))
  return tx<{ reason: Reason; address: string | null }[]>`
    delete from suppressions
    where organization_id = ${organizationId}
      and address_key = any(array(select decode(key, 'hex') from unnest(${keys}::text[]) as key))
    returning reason, address`
}

/**
 * Erases the text of addresses from their entries, which remain effective without it. The text
 * stays if a contact has the address again.
 */
export async function forgetAddresses(
  sql: Executor,
  organizationId: Uuid,
  addresses: readonly Addressed[],
): Promise<void> {
  if (addresses.length === 0) return
  const keys = addresses.flatMap((address) => address.keys.map(({ key }) => key))
  await sql`
    update suppressions s
    set address = null, updated_at = greatest(s.updated_at, now())
    where s.organization_id = ${organizationId} and s.address is not null
      and s.address_key in (select decode(key, 'hex') from unnest(${keys}::text[]) as key)
      and not exists (
        select
        from contacts c
        where c.organization_id = ${organizationId} and c.email = s.address
      )`
}

const shownColumns = (sql: Executor) => sql`
  id, 'email' as channel, address as email, null as phone, reason, source, created_at, updated_at`

export interface ListFilters<R = Reason> {
  reason?: R | undefined
  address?: Addressed | undefined
  before?: Uuid | undefined
  limit: number
}

export const list = (sql: Executor, organizationId: Uuid, filters: ListFilters) => {
  const { reason, address, before, limit } = filters
  return sql<Suppression[]>`
    select ${shownColumns(sql)}
    from suppressions
    where organization_id = ${organizationId}
      ${before === undefined ? sql`` : sql`and id < ${before}`}
      ${reason === undefined ? sql`` : sql`and reason = ${reason}`}
      ${address === undefined ? sql`` : sql`and address_key = any(${keysOf(sql, address)})`}
    order by id desc
    limit ${limit}`
}

export async function find(
  sql: Executor,
  organizationId: Uuid,
  address: Addressed,
): Promise<Suppression | undefined> {
  const [entry] = await sql<Suppression[]>`
    select ${shownColumns(sql)}
    from suppressions
    where organization_id = ${organizationId} and address_key = any(${keysOf(sql, address)})`
  return entry
}

export async function findEmail(
  sql: Executor,
  organizationId: Uuid,
  { keys }: Addressed,
): Promise<string | undefined> {
  const [listed] = await sql<{ address: string }[]>`
    select address
    from suppressions
    where organization_id = ${organizationId} and address is not null
      and address_key in (
        select decode(key, 'hex') from unnest(${keys.map(({ key }) => key)}::text[]) as key
      )`
  return listed?.address
}

export async function findId(
  sql: Executor,
  organizationId: Uuid,
  address: Addressed,
): Promise<Uuid | undefined> {
  const [listed] = await sql<{ id: Uuid }[]>`
    select id
    from suppressions
    where organization_id = ${organizationId} and address_key = any(${keysOf(sql, address)})`
  return listed?.id
}

const keysOf = (sql: Executor, { keys }: Addressed) => sql`array(
  select decode(key, 'hex')
  from unnest(${keys.map(({ key }) => key)}::text[]) as key
)`

const RANKING = [...EMAIL_STATUSES]
const isWorse = (a: EmailStatus, b: EmailStatus): boolean =>
  EMAIL_STATUSES.indexOf(a) > EMAIL_STATUSES.indexOf(b)

const columns = (tx: Transaction, entries: readonly OwnedEntry[]) => tx`
  unnest(
    ${entries.map(({ organizationId }) => organizationId)}::uuid[],
    ${entries.map(() => uuidv7())}::uuid[],
    ${entries.map(({ address }) => address.keys[0].key)}::text[],
    ${entries.map(({ address }) => address.keys[0].keyId)}::text[],
    ${entries.map(({ reason }) => reason)}::text[],
    ${entries.map(({ source }) => source)}::text[],
    ${entries.map(({ address }) => address.text)}::text[]
  ) as given (organization_id, id, key, key_id, reason, source, address)`
