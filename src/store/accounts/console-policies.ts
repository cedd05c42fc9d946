import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

/** Minimum interval of probes of an account by any caller. */
const PROBE_EVERY = '1 minute'
/** Age below which the sweep does not probe again. */
const SWEEP_EVERY = '1 day'

export interface StoredPolicy {
  version: number | null
  checkedAt: string | null
}

interface Account {
  organizationId: Uuid
  connectionId: Uuid
}

export async function find(
  sql: Executor,
  { organizationId, connectionId }: Account,
): Promise<StoredPolicy> {
  const [policy] = await sql<StoredPolicy[]>`
    select version, checked_at
    from console_policies
    where organization_id = ${organizationId} and connection_id = ${connectionId}`
  return policy ?? { version: null, checkedAt: null }
}

/** The right to probe, with the replaced values, which `giveBack` restores. */
export interface Probe extends Account {
  probedAt: string
  previousAt: string | null
}

/**
 * Takes the account's only probe of this minute. Undefined: another caller has it, or the account
 * is not connected. One statement decides for all processes.
 */
export async function takeProbe(
  sql: Executor,
  { organizationId, connectionId }: Account,
): Promise<Probe | undefined> {
  const [probe] = await sql<Probe[]>`
    with before as (
      select probed_at
      from console_policies
      where organization_id = ${organizationId} and connection_id = ${connectionId}
    )
    insert into console_policies as p (organization_id, connection_id, probed_at)
    select organization_id, id, clock_timestamp()
    from connections
    where organization_id = ${organizationId}
      and id = ${connectionId}
      and disconnected_at is null
    on conflict (organization_id, connection_id) do update
    set probed_at = excluded.probed_at
    where p.probed_at is null
      or p.probed_at <= statement_timestamp() - ${PROBE_EVERY}::interval
    returning organization_id, connection_id, probed_at,
      (select probed_at from before) as previous_at`
  return probe
}

/** Takes a probe for the sweep, at most once a day. */
export async function takeDailyProbe(sql: Executor, account: Account): Promise<Probe | undefined> {
  const [policy] = await sql`
    select
    from console_policies
    where organization_id = ${account.organizationId}
      and connection_id = ${account.connectionId}
      and checked_at > statement_timestamp() - ${SWEEP_EVERY}::interval`
  return policy ? undefined : takeProbe(sql, account)
}

/**
 * Returns a probe that never reached a worker, or that the account refused. The next caller may
 * have it.
 */
export const giveBack = (
  sql: Executor,
  { organizationId, connectionId, probedAt, previousAt }: Probe,
) => sql`
  update console_policies
  set probed_at = ${previousAt}
  where organization_id = ${organizationId}
    and connection_id = ${connectionId}
    and probed_at = ${probedAt}
    and (checked_at is null or checked_at < probed_at)`

/** Returns the right to probe if it still holds. It may have been returned before its use. */
export async function findProbe(
  sql: Executor,
  { organizationId, connectionId }: Account,
): Promise<Probe | undefined> {
  const [probe] = await sql<Probe[]>`
    select organization_id, connection_id, probed_at, null as previous_at
    from console_policies
    where organization_id = ${organizationId}
      and connection_id = ${connectionId}
      and probed_at > statement_timestamp() - ${PROBE_EVERY}::interval`
  return probe
}

/** Null: the role carries no policy with a version. */
export const record = (
  sql: Executor,
  { organizationId, connectionId }: Account,
  version: number | null,
) => sql`
  insert into console_policies (organization_id, connection_id, version, checked_at, probed_at)
  values (${organizationId}, ${connectionId}, ${version}, clock_timestamp(), clock_timestamp())
  on conflict (organization_id, connection_id) do update
  set version = excluded.version,
    checked_at = greatest(console_policies.checked_at, excluded.checked_at)`
