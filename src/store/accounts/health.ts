import type { AccountReading, HealthStatus, Verdict } from '../../domain/accounts/health.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'
import { eventProblems } from './connections.ts'

export interface Account {
  organizationId: Uuid
  connectionId: Uuid
}

/** Health of a connected account. Null: never checked. */
export interface AccountHealth extends Omit<AccountReading, 'pricingPlan'> {
  id: Uuid
  accountNumber: string
  region: string
  status: HealthStatus
  checkedAt: string | null
  reasons: string[]
  eventProblems: string[]
}

export const list = (sql: Executor, organizationId: Uuid) => sql<AccountHealth[]>`
  select ${columns(sql)}
  from connections c
  left join account_health h on h.organization_id = c.organization_id and h.connection_id = c.id
  where c.organization_id = ${organizationId} and c.disconnected_at is null
  order by c.id desc`

export async function find(
  sql: Executor,
  { organizationId, connectionId }: Account,
): Promise<AccountHealth | undefined> {
  const [health] = await sql<AccountHealth[]>`
    select ${columns(sql)}
    from connections c
    left join account_health h on h.organization_id = c.organization_id and h.connection_id = c.id
    where c.organization_id = ${organizationId}
      and c.id = ${connectionId}
      and c.disconnected_at is null`
  return health
}

const columns = (sql: Executor) => sql`
  c.id, c.account_id as account_number, c.region, coalesce(h.status, 'unknown') as status,
  h.checked_at, coalesce(h.reasons, '{}') as reasons, h.production_access_enabled,
  h.sending_enabled, h.enforcement_status, h.max_24_hour, h.sent_last_24_hours, h.max_send_rate,
  h.bounce_rate, h.complaint_rate,
  array_remove(array[${eventProblems(sql, sql`c`)}], null) as event_problems`

/**
 * Lists a page of the connected accounts of all organizations by id, for the sweep. A new account
 * has a later id and is on a later page.
 */
export const listConnected = (sql: Sql, after: Uuid | null, limit: number) => sql<Account[]>`
  select organization_id, id as connection_id
  from connections
  where disconnected_at is null
    ${after === null ? sql`` : sql`and id > ${after}`}
  order by id
  limit ${limit}`

export interface LockedHealth {
  status: HealthStatus
  checkedAt: string | null
}

/** Locks an account's health for the rest of the transaction. Undefined: it is not connected. */
export async function lock(
  tx: Transaction,
  { organizationId, connectionId }: Account,
): Promise<LockedHealth | undefined> {
  await tx`
    insert into account_health (organization_id, connection_id)
    select organization_id, id
    from connections
    where organization_id = ${organizationId} and id = ${connectionId} and disconnected_at is null
    on conflict do nothing`
  const [health] = await tx<LockedHealth[]>`
    select h.status, h.checked_at
    from account_health h
    join connections c on c.organization_id = h.organization_id and c.id = h.connection_id
    where h.organization_id = ${organizationId}
      and h.connection_id = ${connectionId}
      and c.disconnected_at is null
    for update of h`
  return health
}

export const record = (
  tx: Transaction,
  { organizationId, connectionId }: Account,
  { reading, verdict, at }: { reading: AccountReading; verdict: Verdict; at: string },
) => tx`
  update account_health
  set status = ${verdict.status},
    reasons = ${verdict.reasons},
    checked_at = ${at},
    asked_at = ${at},
    refusal = null,
    production_access_enabled = ${reading.productionAccessEnabled},
    sending_enabled = ${reading.sendingEnabled},
    enforcement_status = ${reading.enforcementStatus},
    max_24_hour = ${reading.max24Hour},
    sent_last_24_hours = ${reading.sentLast24Hours},
    max_send_rate = ${reading.maxSendRate},
    pricing_plan = coalesce(${reading.pricingPlan}, pricing_plan),
    bounce_rate = ${reading.bounceRate},
    complaint_rate = ${reading.complaintRate}
  where organization_id = ${organizationId} and connection_id = ${connectionId}`

/** Records that the provider was asked at `at` without an answer. The stored figures stay. */
export const recordRefusal = (
  tx: Transaction,
  { organizationId, connectionId }: Account,
  { refusal, at }: { refusal: string; at: string },
) => tx`
  update account_health
  set asked_at = ${at}, refusal = ${refusal}
  where organization_id = ${organizationId} and connection_id = ${connectionId}`

/** Stores the pricing plan of a connected account, which may not be checked yet. */
export const recordPlan = (
  tx: Transaction,
  { organizationId, connectionId }: Account,
  pricingPlan: string,
) => tx`
  insert into account_health as known (organization_id, connection_id, pricing_plan)
  select organization_id, id, ${pricingPlan}
  from connections
  where organization_id = ${organizationId} and id = ${connectionId} and disconnected_at is null
  on conflict (organization_id, connection_id) do update
  set pricing_plan = excluded.pricing_plan
  where known.pricing_plan is distinct from excluded.pricing_plan`

/**
 * Forgets figures that are too old. Their time and the pricing plan stay, since past mail is priced
 * by the plan.
 */
export const forget = (tx: Transaction, { organizationId, connectionId }: Account) => tx`
  update account_health
  set status = 'unknown', reasons = '{}', production_access_enabled = null,
    sending_enabled = null, enforcement_status = null, max_24_hour = null,
    sent_last_24_hours = null, max_send_rate = null, bounce_rate = null, complaint_rate = null
  where organization_id = ${organizationId} and connection_id = ${connectionId}`
