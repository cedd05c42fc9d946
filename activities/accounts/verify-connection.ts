import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Check,
  type Verdict,
  VERIFY_EVERY_MS,
  verdictOf,
} from '../../src/domain/accounts/verification.ts'
import { configurationSetName } from '../../src/domain/accounts/iam-role.ts'
import * as health from '../../src/store/accounts/health.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { type Sql, type Transaction, transact } from '../../src/store/db/sql.ts'
import type { VerifyConnectionInput } from '../../workflows/contract.ts'
import type { Verifier } from '../mailer.ts'

/**
 * A verification without a result for this long was abandoned. Longer than the verifier's own
 * deadline.
 */
const MOST_MS = 15_000
const LOOK_EVERY_MS = 200
/**
 * Interval of attempts to use the configuration set, while mail is sent without it and while it is
 * named.
 */
const TRY_EVERY_MS = 60_000
const TRY_AGAIN_MS = 12 * 3_600_000
const PERMIT_MS = 1_500

/**
 * Verifies an account with the provider and stores the result: permissions, sending status, rate.
 * Concurrent callers, and those just after, share one result.
 */
async function verify(
  sql: Sql,
  verifier: Verifier,
  sender: senders.SendingConnection,
): Promise<Check[]> {
  for (;;) {
    const checking = await senders.beginVerification(sql, sender, {
      everyMs: VERIFY_EVERY_MS,
      mostMs: MOST_MS,
    })
    if (!checking) return []
    if (checking.isMine) return probe(sql, verifier, sender)
    if (checking.result) return checking.result.checks
    await sleep(LOOK_EVERY_MS)
  }
}

async function probe(
  sql: Sql,
  verifier: Verifier,
  sender: senders.SendingConnection,
): Promise<Check[]> {
  const { checks, from, ...accountFacts } = await verifier.verify(sender)
  const { maxSendRate, max24Hour, sentLast24Hours, pricingPlan } = accountFacts
  if (maxSendRate !== null && max24Hour !== null) {
    const limits = { maxSendRate, max24Hour, sentLast24Hours: sentLast24Hours ?? 0 }
    await sendLimits.learn(sql, sender, limits)
  }
  if (from !== null && verdictOf(checks).kind === 'verified') {
    await tryConfigurationSet({ sql, verifier }, sender, from)
  }
  await transact(sql, async (tx) => {
    const isNew = await senders.recordVerification(tx, sender, { checks, maxSendRate })
    if (pricingPlan !== null) await health.recordPlan(tx, sender, pricingPlan)
    if (isNew) await readHealth(tx, sender)
  })
  return checks
}

/**
 * Requests a reading of the account's health, which was impossible before there was a role. The
 * workflow reads it after another look at the connection, which finds the present result.
 */
const readHealth = (tx: Transaction, { organizationId, connectionId }: senders.SendingConnection) =>
  outbox.put(
    tx,
    organizationId,
    { kind: 'verify_connection', payload: { connectionId } },
    undefined,
  )

/**
 * Occasionally sends one mail to the simulator, limited like all mail. Mail names the configuration
 * set of the setup files only if it is accepted. Without an answer nothing changes.
 */
async function tryConfigurationSet(
  { sql, verifier }: ConnectionDeps,
  sender: senders.SendingConnection,
  from: string,
): Promise<void> {
  const { configurationSet: knownSet, configurationSetTriedAgoMs: agoMs } = sender
  const everyMs = knownSet === null ? TRY_EVERY_MS : TRY_AGAIN_MS
  if (agoMs !== null && agoMs < everyMs) return
  if (!(await hasPermit(sql, sender))) return
  const configurationSet = configurationSetName(sender.externalId)
  const isAccepted = await verifier.acceptsConfigurationSet(sender, { from, configurationSet })
  if (isAccepted === undefined) return
  await senders.recordConfigurationSet(sql, sender, isAccepted ? configurationSet : null)
}

async function hasPermit(sql: Sql, sender: senders.SendingConnection): Promise<boolean> {
  const until = performance.now() + PERMIT_MS
  for (;;) {
    const { granted, waitMs } = await sendLimits.grantPermits(sql, sender, 1)
    if (granted > 0) return true
    if (performance.now() + waitMs > until) return false
    await sleep(waitMs)
  }
}

/**
 * Returns whether mail may be sent. Throws if the provider gave no answer, so that it is asked
 * again.
 */
export async function verifySender(
  sql: Sql,
  verifier: Verifier,
  sender: senders.SendingConnection,
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
  verifyConnection: async (input: VerifyConnectionInput): Promise<void> => {
    const sender = await senders.find(sql, input.organizationId, input.connectionId)
    if (sender && !sender.disconnected) await verifySender(sql, verifier, sender)
  },
})

export const createCheckActivities = ({ sql, verifier }: ConnectionDeps) => ({
  /** Verifies once for a waiting request, and stores the outcome, even a failure. */
  checkConnection: async (input: VerifyConnectionInput): Promise<void> => {
    const sender = await senders.find(sql, input.organizationId, input.connectionId)
    if (sender && !sender.disconnected) await verify(sql, verifier, sender)
  },
})
