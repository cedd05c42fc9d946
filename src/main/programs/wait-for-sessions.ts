import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { keepsSessions } from '../../store/db/kept-sessions.ts'

const ASK_AGAIN_MS = 1_000
const SHARED =
  'DATABASE_URL leads to a pooler of transactions, behind which organizations would read ' +
  "each other's settings: set the pooler to session mode (pool_mode = session), or connect to " +
  'Postgres itself'

/**
 * Resolves when Postgres answers and gives each connection its own session, or when a shutdown is
 * requested. Throws behind a pooler of transactions.
 */
export async function waitForSessions(
  databaseUrl: string,
  log: Logger,
  stopped: AbortSignal,
): Promise<void> {
  for (let isTold = false; !stopped.aborted; isTold = true) {
    const isKept = await keepsSessions(databaseUrl).catch((error: unknown) => {
      if (!isTold) log.warn({ err: error }, 'Postgres cannot be reached yet')
    })
    if (isKept === true) return
    if (isKept === false) throw new Error(SHARED)
    await sleep(ASK_AGAIN_MS, undefined, { signal: stopped }).catch(() => {})
  }
}
