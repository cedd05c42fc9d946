import type { FastifyReply } from 'fastify'
import type { Uuid } from '../../src/runtime/ids.ts'
import { wasEverVerified } from '../../src/store/accounts/connection-secrets.ts'
import type { Deps } from '../deps.ts'
import type { Window } from '../limits/decision.ts'
import { answer } from '../limits/rate-limit.ts'

const WINDOWS: readonly Window[] = [{ limit: 10, seconds: 60 }]
const MOST_REMEMBERED = 10_000

/**
 * Counts a proven request of a connection that was never verified. Throws a 429 if there were too
 * many. Anybody can register a foreign account number and get a secret for it. Our mail only leaves
 * through verified connections, so none of its events is refused.
 */
export function limitUnverified({ sql, limiter }: Pick<Deps, 'sql' | 'limiter'>) {
  const verified = new Set<Uuid>()

  return async (connectionId: Uuid, reply: FastifyReply): Promise<void> => {
    if (verified.has(connectionId)) return
    if (await wasEverVerified(sql, connectionId)) {
      if (verified.size >= MOST_REMEMBERED) verified.clear()
      verified.add(connectionId)
      return
    }
    answer(await limiter.take(`unverified:${connectionId}`, WINDOWS), reply)
  }
}
