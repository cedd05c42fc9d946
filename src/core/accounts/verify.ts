import { missing } from '../access/ownership.ts'
import { VERIFICATION } from '../../domain/accounts/provider-questions.ts'
import { VERIFY_EVERY_MS } from '../../domain/accounts/verification.ts'
import { conflict } from '../../domain/errors.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { ConnectionVerification } from '../../schemas/accounts/connection.ts'
import * as connections from '../../store/accounts/connections.ts'
import type { Sql } from '../../store/db/sql.ts'
import { type Asker, cannotAsk } from './ask-provider.ts'
import { createWaitingRoom } from './waiting-room.ts'

/** Longer than the verification itself may take. */
const VERIFY_MS = 12_000

/**
 * Verifies connections. The provider is asked, unless it was within the last three seconds. Throws
 * a 404 for an unknown connection, a 409 for a disconnected one, and a 503 if the provider cannot
 * be asked.
 */
export function createVerification({ asker, now }: { asker: Asker; now: () => number }) {
  const waiting = createWaitingRoom()

  return async (sql: Sql, organizationId: Uuid, id: string): Promise<ConnectionVerification> => {
    const find = async () =>
      isUuid(id) ? connections.findVerification(sql, organizationId, id) : undefined
    const verification = await find()
    if (!verification) throw await missing(sql, 'connection', organizationId, id)
    if (verification.disconnectedAt !== null) {
      throw conflict('The account is disconnected. Register it again first', {
        reason: 'disconnected',
      })
    }
    const recent = foundWithin(verification, VERIFY_EVERY_MS)
    if (recent) return recent
    const askedAt = performance.now()
    const question = { organizationId, connectionId: id, what: VERIFICATION }
    await waiting(organizationId, () => asker.ask(question, now() + VERIFY_MS))
    const tookMs = performance.now() - askedAt
    const result = foundWithin(await find(), VERIFY_EVERY_MS + tookMs)
    if (!result) throw cannotAsk()
    return result
  }
}

function foundWithin(
  verification: connections.Verification | undefined,
  ms: number,
): ConnectionVerification | undefined {
  const { agoMs = null, checkedAt = null, checks = null } = verification ?? {}
  if (!verification || agoMs === null || checkedAt === null || checks === null) return undefined
  const { isVerified, verificationError, warnings } = verification
  return agoMs > ms ? undefined : { isVerified, verificationError, warnings, checkedAt, checks }
}
