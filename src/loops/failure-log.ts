import { takeFailures } from '../runtime/failures.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 60_000

/** Writes a line a minute for each reason for which mails of this process failed. */
export const startFailureLog = ({ log, everyMs = EVERY_MS }: { log: Log; everyMs?: number }) =>
  startLoop({
    name: 'failure-log',
    idleMs: everyMs,
    log,
    round: async () => {
      for (const [reason, mails] of takeFailures()) log.warn({ reason, mails }, 'mails failed')
      return false
    },
  })
