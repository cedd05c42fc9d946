import { rematch } from '../core/delivery/match-untagged.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const MAILS = 200
const IDLE_MS = 1_000

/** Looks again at mails that were taken for another program's: some may turn out to be ours. */
export const startExternalMailMatcher = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'external-mail-matcher',
    idleMs: IDLE_MS,
    log,
    round: async () => (await rematch(sql, MAILS)) === MAILS,
  })
