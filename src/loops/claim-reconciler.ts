import type { Timings } from '../domain/timings.ts'
import * as claims from '../store/claims.ts'
import type { Sql } from '../store/sql.ts'
import { type Log, startLoop } from './loop.ts'

const CLAIMS = 200
const DAY_MS = 86_400_000
/** Rounds follow the lease: five in one. */
const ROUNDS_PER_LEASE = 5

interface Deps {
  sql: Sql
  timings: Timings
  log: Log
}

/**
 * Settles claims that nobody settles: first `claimed → unknown` when the lease is over, then, when
 * the doubt is old enough, by what the provider's events say.
 */
export const startClaimReconciler = ({ sql, timings, log }: Deps) =>
  startLoop({
    name: 'claim-reconciler',
    idleMs: timings.leaseMs / ROUNDS_PER_LEASE,
    log,
    round: () => reconcileClaims({ sql, timings, log }),
  })

/** One round. True when a full page was found, so that there may be more. */
export async function reconcileClaims({ sql, timings, log }: Deps): Promise<boolean> {
  const expired = await claims.expired(sql, timings.leaseMs, CLAIMS)
  for (const claim of expired) await claims.doubt(sql, claim)
  if (expired.length > 0) log.warn({ claims: expired.length }, 'claims lost their worker')

  const doubtful = await claims.doubtful(sql, {
    doubtMs: timings.doubtMs,
    distanceMs: timings.distanceMs,
    streamMs: DAY_MS,
    limit: CLAIMS,
  })
  for (const claim of doubtful) {
    const verdict = judge(claim, timings)
    if (verdict === 'wait') {
      const { organizationId, connectionId } = claim
      await claims.requestProbe(sql, organizationId, connectionId, timings.doubtMs)
      continue
    }
    await claims.decide(sql, claim, verdict)
    log.warn({ claim: claim.id, verdict }, 'a claim in doubt was decided')
  }
  return expired.length === CLAIMS
}

/**
 * Silence is evidence only on a stream that has passed the claim; without one nobody can know, and
 * the batch's own choice decides.
 */
function judge(claim: claims.Doubtful, timings: Timings): 'queued' | 'failed' | 'wait' {
  if (claim.silent) return 'queued'
  if (claim.streaming && claim.ageMs < timings.patienceMs) return 'wait'
  return claim.unknownOutcome === 'retry' ? 'queued' : 'failed'
}
