import { setTimeout as sleep } from 'node:timers/promises'
import { type Check, type Verdict, VERIFY_EVERY_MS, verdictOf } from '../src/domain/verification.ts'
import * as senders from '../src/store/senders.ts'
import * as sendingLimits from '../src/store/sending-limits.ts'
import type { Sql } from '../src/store/sql.ts'
import type { VerifyConnectionInput } from '../workflows/contract.ts'
import type { Verifier } from './mailer.ts'

/** One that found nothing for this long is nobody's: longer than the verifier's own deadline. */
const MOST_MS = 15_000
const LOOK_EVERY_MS = 200

/**
 * Asks the provider and stores what it said: what may be done, whether we may send, and how fast.
 * Whoever comes while somebody else is asking, or just after, gets what that one found.
 */
async function verify(sql: Sql, verifier: Verifier, sender: senders.Sender): Promise<Check[]> {
  for (;;) {
    const checking = await senders.beginVerification(sql, sender, {
      everyMs: VERIFY_EVERY_MS,
      mostMs: MOST_MS,
    })
    if (!checking) return []
    if (checking.isMine) return probe(sql, verifier, sender)
    if (checking.found) return checking.found.checks
    await sleep(LOOK_EVERY_MS)
  }
}

async function probe(sql: Sql, verifier: Verifier, sender: senders.Sender): Promise<Check[]> {
  const { checks, maxSendRate, max24Hour } = await verifier.verify(sender)
  if (maxSendRate !== null && max24Hour !== null) {
    const { accountId, region } = sender
    await sendingLimits.learn(sql, { accountId, region, maxSendRate, max24Hour })
  }
  await senders.recordVerification(sql, sender, { checks, maxSendRate })
  return checks
}

/** Whether mail may be sent. Throws when the provider did not say, so that it is asked again. */
export async function verifySender(
  sql: Sql,
  verifier: Verifier,
  sender: senders.Sender,
): Promise<Exclude<Verdict, { kind: 'undecided' }>> {
  const verdict = verdictOf(await verify(sql, verifier, sender))
  if (verdict.kind === 'undecided') throw new Error(`not verified: ${verdict.error}`)
  return verdict
}

export interface ConnectionDeps {
  sql: Sql
  verifier: Verifier
}

export const createConnectionActivities = ({ sql, verifier }: ConnectionDeps) => ({
  /** Verifies until the provider has said yes or no; stores it. */
  verifyConnection: async (input: VerifyConnectionInput): Promise<void> => {
    const sender = await senders.find(sql, input.organizationId, input.connectionId)
    if (sender && !sender.disconnected) await verifySender(sql, verifier, sender)
  },
})

export const createCheckActivities = ({ sql, verifier }: ConnectionDeps) => ({
  /** Verifies once, for somebody who waits; what was found, and what was not, is stored. */
  checkConnection: async (input: VerifyConnectionInput): Promise<void> => {
    const sender = await senders.find(sql, input.organizationId, input.connectionId)
    if (sender && !sender.disconnected) await verify(sql, verifier, sender)
  },
})
