import type { Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'

/** A batch that is being sent, as the log shows it. */
interface BatchProgress {
  batch: Uuid
  recipients: number
  /** Recipients that are sent, failed, skipped or in doubt. */
  settled: number
  sent: number
  failed: number
  unknown: number
  /** Null: sending goes on. */
  waitsFor: 'resume' | 'freezing' | 'outcomes' | 'daily_quota' | 'account' | null
}

/** Batches that are being sent, of all organizations. */
export const listBatches = (sql: Sql, limit: number) => sql<BatchProgress[]>`
  select b.id as batch, b.total_recipients as recipients, b.sent, b.failed, b.unknown,
    b.sent + b.failed + b.skipped + b.unknown as settled,
    case
      when b.paused_reason is not null then 'resume'
      when b.audience_frozen_at is null then 'freezing'
      when b.unknown > 0 and b.sent + b.failed + b.skipped + b.unknown = b.total_recipients
        then 'outcomes'
      when l.quota_until > statement_timestamp()
        or (l.paused_until > statement_timestamp() and l.paused_reason = 'daily_quota')
        then 'daily_quota'
      when l.paused_until > statement_timestamp() then 'account'
    end as waits_for
  from batches b
  left join connections c on c.organization_id = b.organization_id and c.id = b.connection_id
  left join sending_limits l on l.account_id = c.account_id and l.region = c.region
  where b.status = 'processing'
  order by b.id
  limit ${limit}`

/** An import that is being written. */
interface ImportProgress {
  import: Uuid
  rows: number
  settled: number
  failed: number
}

export const listImports = (sql: Sql, limit: number) => sql<ImportProgress[]>`
  select id as import, rows, created + updated + skipped + failed as settled, failed
  from imports
  where status = 'running'
  order by id
  limit ${limit}`
