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
  // One claim that cannot be settled must not keep the others from it.
  const each = async <T extends claims.Claim>(
    found: T[],
    act: (claim: T) => PromiseLike<unknown>,
  ) => {
    for (const claim of found) {
      try {
        await act(claim)
      } catch (error) {
        log.error({ claim: claim.id, err: error }, 'a claim could not be settled')
      }
    }
  }
  const expired = await claims.expired(sql, timings.leaseMs, CLAIMS)
  await each(expired, (claim) => claims.doubt(sql, claim))
  if (expired.length > 0) log.warn({ claims: expired.length }, 'claims lost their worker')

  const { doubtMs, distanceMs, patienceMs } = timings
  const evidence = { doubtMs, distanceMs, patienceMs, streamMs: DAY_MS, limit: CLAIMS }
  const decidable = await claims.decidable(sql, evidence)
  await each(decidable, async (claim) => {
    const verdict = judge(claim)
    await claims.decide(sql, claim, verdict)
    log.warn({ claim: claim.id, verdict }, 'a claim in doubt was decided')
  })
  for (const { organizationId, connectionId } of await claims.waitingForEvents(sql, evidence)) {
    await claims.requestProbe(sql, organizationId, connectionId, timings.doubtMs)
  }
  return expired.length === CLAIMS || decidable.length === CLAIMS
}

/**
 * Silence is evidence only on a stream that has passed the claim; without one nobody can know, and
 * the batch's own choice decides.
 */
const judge = (claim: claims.Doubtful): 'queued' | 'failed' =>
  claim.silent || claim.unknownOutcome === 'retry' ? 'queued' : 'failed'
