import { rematch } from '../core/delivery/match-untagged.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const MAILS = 200
/** The first look at a mail is due after five seconds. */
const IDLE_MS = 5_000

/** Looks again at mails that were taken for another program's: some may turn out to be ours. */
export const startExternalMailMatcher = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'external-mail-matcher',
    idleMs: IDLE_MS,
    log,
    round: async () => (await rematch(sql, MAILS)) === MAILS,
  })
