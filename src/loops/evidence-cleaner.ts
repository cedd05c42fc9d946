import { deleteOldEvidence } from '../store/probes.ts'
import type { Sql } from '../store/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 600_000

/** Deletes what mails in doubt were judged by, once no doubt can be that old. */
export const startEvidenceCleaner = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'evidence-cleaner',
    idleMs: EVERY_MS,
    log,
    round: async () => {
      await deleteOldEvidence(sql)
      return false
    },
  })
