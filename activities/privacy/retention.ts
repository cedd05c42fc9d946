import { Context } from '@temporalio/activity'
import {
  type DeletedRows,
  deleteMailReferences,
  deleteOldRows,
} from '../../src/core/privacy/delete-old-rows.ts'
import { type DroppedDays, dropOldDays } from '../../src/core/privacy/drop-old-days.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { withHeartbeat } from '../with-heartbeat.ts'

interface RetentionDeps {
  sql: Sql
  /** Milliseconds; tests say another time. */
  now?: (() => number) | undefined
}

/** What deletes logs that plans do not keep any more, each safe to repeat. */
export const createRetentionActivities = ({ sql, now = Date.now }: RetentionDeps) => {
  const options = () => ({ now: now(), signal: Context.current().cancellationSignal })
  return {
    /** Drops the partitions of days that no plan keeps. */
    dropOldDays: (): Promise<DroppedDays> => withHeartbeat(() => dropOldDays(sql, options())),

    /** Deletes rows of some organizations; `more`: there may be other organizations. */
    deleteOldRows: (): Promise<DeletedRows> => withHeartbeat(() => deleteOldRows(sql, options())),

    /** Deletes what finds mails of days that no plan keeps. */
    deleteMailReferences: (): Promise<number> =>
      withHeartbeat(() => deleteMailReferences(sql, options())),
  }
}
