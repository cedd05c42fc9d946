import { dropOld } from '../store/confirmation-mails.ts'
import type { Sql } from '../store/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 600_000
const ROWS = 5_000

/** Forgets confirmation mails of more than a day ago, which no limit counts, in bounded sets. */
export const startConfirmationMailCleaner = ({ sql, log }: { sql: Sql; log: Log }) =>
  startLoop({
    name: 'confirmation-mail-cleaner',
    idleMs: EVERY_MS,
    log,
    round: async () => (await dropOld(sql, ROWS)) > 0,
  })
