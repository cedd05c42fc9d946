import { BUCKET_SECONDS, SLOW_BUCKET_MAILS } from '../../domain/batches/permits.ts'
import type { Sql } from '../db/sql.ts'

interface Throttled {
  organizationId: string
  batchId: string
}

/**
 * Takes up to `want` mails of the rate that a batch was given, for all workers together: a bucket
 * in its row, as that of the account in `grantPermits`, and asked before it. Returns how many, and
 * the milliseconds until asking again makes sense; a batch without a rate of its own gives all.
 */
export async function takeThrottled(
  sql: Sql,
  { organizationId, batchId }: Throttled,
  want: number,
): Promise<{ granted: number; waitMs: number }> {
  const [row] = await sql<{ tokens: number; before: number; rate: number }[]>`
    update batches b
    set throttle_tokens = held.tokens - least(${want}::int, floor(held.tokens)),
      throttle_refilled_at = held.t
    from (
      select id, clock.t, least(
          ${depth(sql)},
          throttle_tokens + throttle_per_second
            * greatest(0, extract(epoch from
                clock.t - coalesce(throttle_refilled_at, clock.t - interval '1 second')))
        )::float8 as tokens
      from (
        select id, throttle_per_second, throttle_tokens, throttle_refilled_at
        from batches
        where organization_id = ${organizationId} and id = ${batchId}
          and throttle_per_second is not null
        for update
      ) locked
      cross join lateral (select clock_timestamp() as t) clock
    ) held
    where b.organization_id = ${organizationId} and b.id = held.id
    returning held.tokens as before, b.throttle_tokens as tokens, b.throttle_per_second as rate`
  if (!row) return { granted: want, waitMs: 0 }
  const granted = Math.round(row.before - row.tokens)
  return { granted, waitMs: granted > 0 ? 0 : Math.ceil(((1 - row.tokens) / row.rate) * 1_000) }
}

/** Returns permits for which no mail was found. */
export const giveBackThrottled = (
  sql: Sql,
  { organizationId, batchId }: Throttled,
  unused: number,
) => sql`
  update batches
  set throttle_tokens = least(
    ${depth(sql)}, throttle_tokens + ${unused})
  where organization_id = ${organizationId} and id = ${batchId}
    and throttle_per_second is not null`

/** Mails that a batch may send at once at its own rate. Accounts have the same rule. */
const depth = (sql: Sql) => sql`
  greatest(1, throttle_per_second * ${BUCKET_SECONDS}::float8,
    least(throttle_per_second, ${SLOW_BUCKET_MAILS}::float8))`
