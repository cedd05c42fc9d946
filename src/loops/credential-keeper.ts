import * as senders from '../store/accounts/senders.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const EVERY_MS = 1_000

interface Deps {
  sql: Sql
  roles: {
    connectionIds: () => string[]
    keep: (
      asked: readonly string[],
      connected: readonly { id: string; verifiedAgoMs: number | null }[],
    ) => void
  }
  log: Log
}

/**
 * Drops the credentials of disconnected accounts, on every process within a second or two: they
 * would be valid for up to an hour. A refusal that is older than a successful verification is
 * dropped as well.
 */
export const startCredentialKeeper = ({ sql, roles, log }: Deps) =>
  startLoop({
    name: 'credential-keeper',
    idleMs: EVERY_MS,
    log,
    round: async () => {
      const heldIds = roles.connectionIds()
      if (heldIds.length > 0) roles.keep(heldIds, await senders.listConnected(sql, heldIds))
      return false
    },
  })
