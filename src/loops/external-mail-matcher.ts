import { rematch } from '../core/delivery/match-untagged.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const MAILS = 200
/** Interval of looks. The first look at a mail is due after five seconds. */
const IDLE_MS = 5_000

/** Checks mails again that were attributed to another program. Some may turn out to be ours. */
export const startExternalMailMatcher = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'external-mail-matcher',
    idleMs: IDLE_MS,
    log,
    round: async () => (await rematch(sql, MAILS)) === MAILS,
  })
