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
  now?: (() => number) | undefined
}

export const createRetentionActivities = ({ sql, now = Date.now }: RetentionDeps) => {
  const options = () => ({ now: now(), signal: Context.current().cancellationSignal })
  return {
    dropOldDays: (): Promise<DroppedDays> => withHeartbeat(() => dropOldDays(sql, options())),

    deleteOldRows: (): Promise<DeletedRows> => withHeartbeat(() => deleteOldRows(sql, options())),

    deleteMailReferences: (): Promise<number> =>
      withHeartbeat(() => deleteMailReferences(sql, options())),
  }
}
