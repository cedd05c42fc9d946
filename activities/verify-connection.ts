import * as senders from '../src/store/senders.ts'
import * as sendingLimits from '../src/store/sending-limits.ts'
import type { Sql } from '../src/store/sql.ts'
import type { VerifyConnectionInput } from '../workflows/contract.ts'
import type { Verification, Verifier } from './mailer.ts'

/** Asks the provider and stores what it said: whether we may send, and how fast. */
export async function verifySender(
  sql: Sql,
  verifier: Verifier,
  sender: senders.Sender,
): Promise<Verification> {
  const verification = await verifier.verify(sender)
  const { maxSendRate, max24Hour } = verification
  if (maxSendRate !== null && max24Hour !== null) {
    const { accountId, region } = sender
    await sendingLimits.learn(sql, { accountId, region, maxSendRate, max24Hour })
  }
  await senders.recordVerification(sql, sender, verification)
  return verification
}

export function createConnectionActivities({ sql, verifier }: { sql: Sql; verifier: Verifier }) {
  return {
    /** Stores `isVerified`, the reason when not, and the account's rate. */
    verifyConnection: async (input: VerifyConnectionInput): Promise<{ isVerified: boolean }> => {
      const sender = await senders.find(sql, input.organizationId, input.connectionId)
      if (!sender || sender.disconnected) return { isVerified: false }
      const { isVerified } = await verifySender(sql, verifier, sender)
      return { isVerified }
    },
  }
}
