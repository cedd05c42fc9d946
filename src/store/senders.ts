import type { Sql } from './sql.ts'

/** A connection as the sending side needs it. */
export interface Sender {
  organizationId: string
  connectionId: string
  accountId: string
  region: string
  externalId: string
  isVerified: boolean
  verificationError: string | null
  disconnected: boolean
  /** Milliseconds since the last verification; null before the first. */
  verifiedAgoMs: number | null
  /** Mails a second the provider allows; null before the first verification. */
  maxSendRate: number | null
}

export const find = async (sql: Sql, organizationId: string, connectionId: string) => {
  const [sender] = await sql<Sender[]>`
    select c.organization_id, c.id as connection_id, c.account_id, c.region, c.external_id,
      c.is_verified, c.verification_error, c.disconnected_at is not null as disconnected,
      (extract(epoch from clock_timestamp() - c.last_verified_at) * 1000)::float8 as verified_ago_ms,
      l.max_send_rate
    from connections c
    left join sending_limits l on l.account_id = c.account_id and l.region = c.region
    where c.organization_id = ${organizationId} and c.id = ${connectionId}`
  return sender
}

export const recordVerification = (
  sql: Sql,
  { organizationId, connectionId }: Pick<Sender, 'organizationId' | 'connectionId'>,
  { isVerified, error }: { isVerified: boolean; error: string | null },
) => sql`
  update connections
  set is_verified = ${isVerified}, verification_error = ${error}, last_verified_at = clock_timestamp(),
    updated_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${connectionId} and disconnected_at is null`

/**
 * Takes the request for a probe, if one waits, and says from which address the doubtful mail went:
 * an identity that the account can send from.
 */
export const takeProbe = async (sql: Sql, organizationId: string, connectionId: string) => {
  const [probe] = await sql<{ claimedAt: string; from: string | null }[]>`
    update connections c
    set probed_at = clock_timestamp()
    where c.organization_id = ${organizationId} and c.id = ${connectionId}
      and c.probe_requested_at is not null
      and (c.probed_at is null or c.probed_at < c.probe_requested_at)
    returning clock_timestamp() as claimed_at, (
      select coalesce(b.from_address, (
        select m.from_address
        from message_bodies m
        where m.organization_id = k.organization_id and m.bucket = k.bucket
          and m.id = k.message_ids[1]
      ))
      from claims k
      left join batches b on b.organization_id = k.organization_id and b.id = k.batch_id
      where k.organization_id = c.organization_id and k.connection_id = c.id and k.state = 'doubt'
      order by k.claimed_at
      limit 1
    ) as "from"`
  return probe
}
