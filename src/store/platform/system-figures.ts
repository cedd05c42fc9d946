import { countDaysAhead } from '../db/partitions.ts'
import type { Sql } from '../db/sql.ts'

/** Figures of the whole installation, which one process tells. */
interface SystemFigures {
  batchesRunning: number
  importsRunning: number
  /** AWS accounts from which nothing leaves now, or no batch, by reason. */
  accountsPaused: Record<PauseReason, number>
  /** Connections that send mail but receive no delivery events. */
  connectionsWithoutEvents: number
  claimsInDoubt: number
  /** 1: nothing is sent, since Postgres was restored and nobody has looked yet. */
  sendingHeld: number
  /** Outbox messages that are not delivered, counted up to `MOST_WAITING`. */
  outboxWaiting: number
  /** Coming days that all tables have partitions for. -1: today is missing. */
  partitionDaysAhead: number
  /** Seconds for which the oldest open transaction is open, as far as the login may see them. */
  oldestTransactionSeconds: number
  connections: number
  connectionsMost: number
  /** Rows that were changed and are not cleaned up, by queue. */
  deadRows: Record<string, number>
}

const PAUSE_REASONS = ['daily_quota', 'provider_unreachable', 'account'] as const
type PauseReason = (typeof PAUSE_REASONS)[number]

export const MOST_WAITING = 100_000

/** Tables whose rows come and go: polls read past rows that are not cleaned up. */
const QUEUE_TABLES = [
  'outbox',
  'inbound_events',
  'mail_queue',
  'text_queue',
  'claims',
  'dirty_contacts',
  'membership_deadlines',
  'event_queue_polls',
  'sending_limits',
] as const

export async function readSystemFigures(sql: Sql): Promise<SystemFigures> {
  // One after the other: a look at the system must not take its connections.
  const [counts] = await countRows(sql)
  const [server] = await readServer(sql)
  const paused = await countPaused(sql)
  const dead = await countDead(sql)
  const partitionDaysAhead = await countDaysAhead(sql)
  if (!counts || !server) throw new Error('an aggregate answered nothing')
  const ofReason = (reason: PauseReason) =>
    paused.find((each) => each.reason === reason)?.accounts ?? 0
  return {
    ...counts,
    ...server,
    partitionDaysAhead,
    accountsPaused: {
      daily_quota: ofReason('daily_quota'),
      provider_unreachable: ofReason('provider_unreachable'),
      account: ofReason('account'),
    },
    deadRows: Object.fromEntries(dead.map(({ queue, rows }) => [queue, rows])),
  }
}

type Counts = Pick<
  SystemFigures,
  | 'batchesRunning'
  | 'importsRunning'
  | 'connectionsWithoutEvents'
  | 'claimsInDoubt'
  | 'sendingHeld'
  | 'outboxWaiting'
>

const countRows = (sql: Sql) => sql<Counts[]>`
  select
    (select count(*)::integer from batches where status = 'processing') as batches_running,
    (select count(*)::integer from imports where status = 'running') as imports_running,
    (
      select count(*)::integer
      from connections
      where disconnected_at is null
        and events_missing_since > coalesce(last_event_received_at, '-infinity')
    ) as connections_without_events,
    (select count(*)::integer from claims where state = 'doubt') as claims_in_doubt,
    (select count(held_at)::integer from ledger_beats) as sending_held,
    (
      select count(*)::integer
      from (select from outbox where done_at is null limit ${MOST_WAITING}) waiting
    ) as outbox_waiting`

type Server = Pick<SystemFigures, 'oldestTransactionSeconds' | 'connections' | 'connectionsMost'>

const readServer = (sql: Sql) => sql<Server[]>`
  select
    coalesce(greatest(
      (select max(seconds) from open_transactions()),
      (
        select max(extract(epoch from clock_timestamp() - prepared))
        from pg_prepared_xacts
        where database = current_database()
      )
    ), 0)::float8 as oldest_transaction_seconds,
    (count(*) filter (where backend_type = 'client backend'))::integer as connections,
    current_setting('max_connections')::integer as connections_most
  from pg_stat_activity
  where pid <> pg_backend_pid()`

/** Accounts whose quota is used up for batches alone count, too. */
const countPaused = (sql: Sql) => sql<{ reason: PauseReason; accounts: number }[]>`
  select
    case
      when paused_until > statement_timestamp() and paused_reason <> 'daily_quota' then
        case paused_reason when 'provider_unreachable' then paused_reason else 'account' end
      else 'daily_quota'
    end as reason,
    count(*)::integer as accounts
  from sending_limits
  where paused_until > statement_timestamp() or quota_until > statement_timestamp()
  group by 1`

const countDead = (sql: Sql) => sql<{ queue: string; rows: number }[]>`
  select q.name as queue, coalesce(sum(s.n_dead_tup), 0)::float8 as rows
  from unnest(${[...QUEUE_TABLES]}::text[]) q (name)
  left join pg_inherits i on i.inhparent = to_regclass(q.name)
  left join pg_stat_user_tables s on s.relid = coalesce(i.inhrelid, to_regclass(q.name))
  group by q.name`
