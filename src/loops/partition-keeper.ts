import { createPartitions } from '../store/db/partitions.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 6 * 3_600_000

/**
 * Makes the partitions of the coming days; a day without any process running is covered by the week
 * ahead.
 */
export const startPartitionKeeper = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'partition-keeper',
    idleMs: EVERY_MS,
    log,
    round: async () => {
      await createPartitions(sql)
      return false
    },
  })
