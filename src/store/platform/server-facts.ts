import type { Sql } from '../db/sql.ts'

interface ServerFacts {
  /** `server_version_num`, such as 180004. */
  version: number
  isAutovacuumOn: boolean
  locksPerTransaction: number
  hasTrigrams: boolean
  seesAllSessions: boolean
  /** Replication slots that keep rows from being cleaned up. */
  holdingSlots: string[]
  preparedTransactions: number
  /** The longest open transaction; null: none, or none that this login may see. */
  oldest: { pid: number; login: string; application: string; seconds: number } | null
}

/** Transactions of the database's own cleaning are no hindrance to it. */
export async function readServerFacts(sql: Sql): Promise<ServerFacts> {
  const [facts] = await sql<ServerFacts[]>`
    select current_setting('server_version_num')::integer as version,
      current_setting('autovacuum')::boolean as is_autovacuum_on,
      current_setting('max_locks_per_transaction')::integer as locks_per_transaction,
      exists (select from pg_extension where extname = 'pg_trgm') as has_trigrams,
      pg_has_role('letterloom_definer', 'pg_read_all_stats', 'usage') as sees_all_sessions,
      array(
        select slot_name::text
        from pg_replication_slots
        where not active and (xmin is not null or wal_status in ('unreserved', 'lost'))
      ) as holding_slots,
      (
        select count(*)::integer from pg_prepared_xacts where database = current_database()
      ) as prepared_transactions,
      (
        select jsonb_build_object('pid', pid, 'login', login, 'application', application,
          'seconds', seconds)
        from open_transactions()
        order by seconds desc
        limit 1
      ) as oldest`
  if (!facts) throw new Error('Postgres told nothing of itself')
  return facts
}
