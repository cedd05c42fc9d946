import {
  decisionOf,
  judgeDoubt,
  nextLookMs,
  probeEveryMs,
  ROUNDS_PER_LEASE,
} from '../domain/delivery/doubt.ts'
import type { Timings } from '../domain/delivery/timings.ts'
import { decidedClaims, expiredLeases } from '../runtime/metrics.ts'
import * as claims from '../store/delivery/claims.ts'
import * as probes from '../store/delivery/probes.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

const CLAIMS = 200

interface Deps {
  sql: Sql
  timings: Timings
  log: Log
}

/**
 * Decides claims without a reported outcome: first `claimed → unknown` when the lease is over, then
 * by the provider's events about other mails (src/domain/delivery/doubt.ts).
 */
export const startClaimReconciler = ({ sql, timings, log }: Deps) =>
  startLoop({
    name: 'claim-reconciler',
    idleMs: timings.leaseMs / ROUNDS_PER_LEASE,
    log,
    round: () => reconcileClaims({ sql, timings, log }),
  })

/** Runs one round. Returns true after a full page, since there may be more. */
export async function reconcileClaims({ sql, timings, log }: Deps): Promise<boolean> {
  // One claim that cannot be decided must not hold up the others.
  const each = async <T extends claims.Claim>(
    found: T[],
    act: (claim: T) => PromiseLike<unknown>,
  ) => {
    for (const claim of found) {
      try {
        await act(claim)
      } catch (error) {
        log.error({ claim: claim.id, err: error }, 'a claim could not be decided')
      }
    }
  }
  const expired = await claims.expired(sql, timings.leaseMs, CLAIMS)
  await each(expired, (claim) => claims.doubt(sql, claim))
  expiredLeases.inc(expired.length)
  if (expired.length > 0) log.warn({ claims: expired.length }, 'send leases expired')

  const dueClaims = await claims.listDue(sql, { ...timings, limit: CLAIMS })
  const wantedChecks = new Map<string, { claim: claims.Doubtful; count: number }>()
  await each(dueClaims, async (claim) => {
    const judgement = judgeDoubt(claim, timings)
    if (judgement.kind === 'wait') {
      await claims.lookAgain(sql, claim, nextLookMs(claim, timings))
      const { count = 0 } = wantedChecks.get(claim.connectionId) ?? {}
      if (judgement.probes > count) {
        wantedChecks.set(claim.connectionId, { claim, count: judgement.probes })
      }
      return
    }
    const decision = decisionOf(judgement.kind, claim.unknownOutcome)
    await claims.decide(sql, claim, decision)
    decidedClaims.inc({ decision })
    log.warn({ claim: claim.id, decision }, 'a claim in doubt was decided')
  })
  for (const { claim, count } of wantedChecks.values()) {
    await probes.request(sql, claim, { count, everyMs: probeEveryMs(claim, timings) })
  }
  return expired.length === CLAIMS || dueClaims.length === CLAIMS
}
