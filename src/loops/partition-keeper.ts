import { createPartitions } from '../store/db/partitions.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 6 * 3_600_000

/**
 * Creates the partitions of the coming week, so that a day without a running process is covered.
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
