import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

const KEPT = '24 hours'
/** Limit of one statement, so that a backlog does not become a long transaction. */
const MOST_DELETED = 5_000

/** Lease of work of several transactions, after which another request may take it over. */
const LEASE = '60 seconds'

export interface KeptAnswer {
  fingerprint: Buffer
  /** The stored response. Null while the work is being done under a lease. */
  answered: { status: number; body: string } | null
  /** The lease expired, so its holder counts as dead. */
  isAbandoned: boolean
}

/**
 * Takes the key for this transaction and reads its stored request. `busy`: another transaction
 * holds it. Nothing waits: two statements in one round trip, the second with a snapshot from after
 * the key was taken.
 */
export async function take(
  tx: Transaction,
  organizationId: Uuid,
  key: string,
): Promise<{ busy: boolean; storedKey: KeptAnswer | undefined }> {
  const [[lock], [storedKey]] = await Promise.all([
    tx<{ had: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${organizationId} || ' ' || ${key}, 0)) as had`,
    tx<KeptAnswer[]>`
      select fingerprint,
        case when status is not null
          then jsonb_build_object('status', status, 'body', answer)
        end as answered,
        coalesce(lease_until < statement_timestamp(), false) as is_abandoned
      from idempotency_keys
      where organization_id = ${organizationId}
        and key = ${key}
        and created_at > now() - ${KEPT}::interval`,
  ])
  return { busy: lock?.had !== true, storedKey }
}

/**
 * Takes many keys in as many statements. `isBusy`: another transaction has one of them at this
 * moment.
 */
export async function takeAll(
  tx: Transaction,
  organizationId: Uuid,
  keys: readonly string[],
): Promise<{ isBusy: boolean; keptByKey: ReadonlyMap<string, KeptAnswer> }> {
  const [[locks], rows] = await Promise.all([
    tx<{ had: boolean }[]>`
      select bool_and(
        pg_try_advisory_xact_lock(hashtextextended(${organizationId} || ' ' || key, 0))
      ) as had
      from unnest(${[...keys]}::text[]) as key`,
    tx<(KeptAnswer & { key: string })[]>`
      select key, fingerprint,
        case when status is not null
          then jsonb_build_object('status', status, 'body', answer)
        end as answered,
        coalesce(lease_until < statement_timestamp(), false) as is_abandoned
      from idempotency_keys
      where organization_id = ${organizationId}
        and key = any(${[...keys]}::text[])
        and created_at > now() - ${KEPT}::interval`,
  ])
  return { isBusy: locks?.had === false, keptByKey: new Map(rows.map((row) => [row.key, row])) }
}

interface RequestAnswer {
  organizationId: Uuid
  key: string
  fingerprint: Buffer
  status: number
  body: string
}

/** Stores the response. It replaces an expired row, or the lease of the finished work. */
export const keep = (
  sql: Executor,
  { organizationId, key, fingerprint, status, body }: RequestAnswer,
) => sql`
  insert into idempotency_keys (organization_id, key, fingerprint, status, answer)
  values (${organizationId}, ${key}, ${fingerprint}, ${status}, ${body})
  on conflict (organization_id, key) do update
  set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer,
    lease_until = null, created_at = excluded.created_at`

export const keepAll = (
  tx: Transaction,
  organizationId: Uuid,
  answers: readonly Omit<RequestAnswer, 'organizationId'>[],
) => tx`
  insert into idempotency_keys (organization_id, key, fingerprint, status, answer)
  select ${organizationId}, key, decode(fingerprint, 'base64'), status, answer
  from unnest(
    ${answers.map(({ key }) => key)}::text[],
    ${answers.map(({ fingerprint }) => fingerprint.toString('base64'))}::text[],
    ${answers.map(({ status }) => status)}::integer[],
    ${answers.map(({ body }) => body)}::text[]
  ) as row (key, fingerprint, status, answer)
  on conflict (organization_id, key) do update
  set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer,
    lease_until = null, created_at = excluded.created_at`

interface Lease {
  /**
   * Time of the first request. It is the same for every later holder of the work, whose ids are
   * derived from it.
   */
  startedAt: string
  leaseUntil: string
}

/** Leases the work for 60 seconds, or takes it over. Only under `take`. */
export async function lease(
  tx: Transaction,
  {
    organizationId,
    key,
    fingerprint,
  }: Pick<RequestAnswer, 'organizationId' | 'key' | 'fingerprint'>,
): Promise<Lease> {
  const [takenLease] = await tx<Lease[]>`
    insert into idempotency_keys as old (organization_id, key, fingerprint, lease_until)
    values (${organizationId}, ${key}, ${fingerprint}, clock_timestamp() + ${LEASE}::interval)
    on conflict (organization_id, key) do update
    set fingerprint = excluded.fingerprint, status = null, answer = null,
      lease_until = excluded.lease_until,
      created_at = case
        when old.created_at > now() - ${KEPT}::interval then old.created_at
        else excluded.created_at
      end
    returning created_at as started_at, lease_until`
  if (!takenLease) throw new Error('an upsert returned no row')
  return takenLease
}

/** Releases the work, so that the next request decides it anew. Does nothing if others hold it. */
export const release = (
  sql: Executor,
  organizationId: Uuid,
  key: string,
  { leaseUntil }: Lease,
) => sql`
  delete from idempotency_keys
  where organization_id = ${organizationId} and key = ${key} and lease_until = ${leaseUntil}`

/** Lets the next request take over the work. Does nothing if others hold it. */
export const endLease = (
  sql: Executor,
  organizationId: Uuid,
  key: string,
  { leaseUntil }: Lease,
) => sql`
  update idempotency_keys
  set lease_until = clock_timestamp()
  where organization_id = ${organizationId} and key = ${key} and lease_until = ${leaseUntil}`

/** Deletes a bounded number of expired rows. Returns it. */
export async function deleteOld(sql: Executor): Promise<number> {
  const { count } = await sql`
    delete from idempotency_keys
    where ctid = any(array(
      select ctid
      from idempotency_keys
      where created_at < now() - ${KEPT}::interval
      order by created_at
      limit ${MOST_DELETED}))`
  return count
}
