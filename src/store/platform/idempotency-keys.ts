import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** Kept this long; then the key is as good as new. */
const KEPT = '24 hours'
/** Rows deleted by one statement: what has to be cleaned up must not become a long transaction. */
const MOST_DELETED = 5_000

/** How long work of several transactions is leased before another request may take it up. */
const LEASE = '60 seconds'

export interface Kept {
  fingerprint: Buffer
  /** What was answered; null while the work is being done under a lease. */
  answered: { status: number; body: string } | null
  /** The lease ran out: who had it is taken for dead. */
  isAbandoned: boolean
}

/**
 * Takes the key for this transaction and reads what was kept under it. `busy`: another transaction
 * has it at this moment. Nothing waits: two statements in one round trip, the second with a
 * snapshot taken when the key was had.
 */
export async function take(
  tx: Transaction,
  organizationId: Uuid,
  key: string,
): Promise<{ busy: boolean; kept: Kept | undefined }> {
  const [[lock], [kept]] = await Promise.all([
    tx<{ had: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${organizationId} || ' ' || ${key}, 0)) as had`,
    tx<Kept[]>`
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
  return { busy: lock?.had !== true, kept }
}

interface RequestAnswer {
  organizationId: Uuid
  key: string
  fingerprint: Buffer
  status: number
  /** JSON. */
  body: string
}

/** Keeps the answer; over a row that had run out, or over the lease of the work it ends. */
export const keep = (
  sql: Executor,
  { organizationId, key, fingerprint, status, body }: RequestAnswer,
) => sql`
  insert into idempotency_keys (organization_id, key, fingerprint, status, answer)
  values (${organizationId}, ${key}, ${fingerprint}, ${status}, ${body})
  on conflict (organization_id, key) do update
  set fingerprint = excluded.fingerprint, status = excluded.status, answer = excluded.answer,
    lease_until = null, created_at = excluded.created_at`

interface Lease {
  /** The same for everybody who takes the work up: what it makes is named after it. */
  startedAt: string
  leaseUntil: string
}

/** Takes the work for 60 seconds, or takes it over. Only under `take`. */
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

/** Gives the work up, to be decided afresh; nothing happens when others have it. */
export const release = (
  sql: Executor,
  organizationId: Uuid,
  key: string,
  { leaseUntil }: Lease,
) => sql`
  delete from idempotency_keys
  where organization_id = ${organizationId} and key = ${key} and lease_until = ${leaseUntil}`

/** Lets the next request take the work up; nothing happens when others have it. */
export const endLease = (
  sql: Executor,
  organizationId: Uuid,
  key: string,
  { leaseUntil }: Lease,
) => sql`
  update idempotency_keys
  set lease_until = clock_timestamp()
  where organization_id = ${organizationId} and key = ${key} and lease_until = ${leaseUntil}`

/** Deletes what is older than it is kept, a bounded number; returns how many. */
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
