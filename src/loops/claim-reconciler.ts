import { judge } from '../domain/doubt.ts'
import type { Timings } from '../domain/timings.ts'
import * as claims from '../store/claims.ts'
import * as probes from '../store/probes.ts'
import type { Sql } from '../store/sql.ts'
import { type Log, startLoop } from './loop.ts'

const CLAIMS = 200
/** Rounds follow the lease: five in one. */
const ROUNDS_PER_LEASE = 5
/** An old claim is judged less often: after this part of its age. */
const AGE_PER_LOOK = 20
const LONGEST_WAIT_MS = 60_000
/** And asked for probes again. */
const AGE_PER_PROBES = 4

interface Deps {
  sql: Sql
  timings: Timings
  log: Log
}

/**
 * Settles claims that nobody settles: first `claimed → unknown` when the lease is over, then by
 * what the provider's events say of other mails (domain/doubt.ts).
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
  if (expired.length > 0) log.warn({ claims: expired.length }, 'send leases expired')

  const due = await claims.listDue(sql, { ...timings, limit: CLAIMS })
  const wanted = new Map<string, { claim: claims.Doubtful; count: number }>()
  await each(due, async (claim) => {
    const judgement = judge(claim, timings)
    if (judgement.kind === 'wait') {
      await claims.lookAgain(sql, claim, nextLookMs(claim, timings))
      const { count = 0 } = wanted.get(claim.connectionId) ?? {}
      if (judgement.probes > count) {
        wanted.set(claim.connectionId, { claim, count: judgement.probes })
      }
      return
    }
    const decision = toDecision(judgement.kind, claim)
    await claims.decide(sql, claim, decision)
    log.warn({ claim: claim.id, decision }, 'a claim in doubt was decided')
  })
  for (const { claim, count } of wanted.values()) {
    await probes.request(sql, claim, { count, everyMs: probeEveryMs(claim, timings) })
  }
  return expired.length === CLAIMS || due.length === CLAIMS
}

const toDecision = (
  kind: 'not_accepted' | 'unknowable',
  { unknownOutcome }: claims.Doubtful,
): claims.Decision => {
  if (kind === 'not_accepted') return kind
  return unknownOutcome === 'retry' ? 'again' : 'unknown_outcome'
}

/** Probes that tell nothing, because the sender is refused, say, are sent less and less often. */
const probeEveryMs = ({ now, claimedAt }: claims.Doubtful, { neighbourMs }: Timings): number =>
  Math.max(neighbourMs, (now - claimedAt) / AGE_PER_PROBES)

const nextLookMs = ({ now, claimedAt }: claims.Doubtful, { leaseMs }: Timings): number =>
  Math.min(LONGEST_WAIT_MS, Math.max(leaseMs / ROUNDS_PER_LEASE, (now - claimedAt) / AGE_PER_LOOK))
