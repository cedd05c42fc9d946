import { listProofs, type WebhookProof } from '../../store/accounts/connection-secrets.ts'
import type { Sql } from '../../store/db/sql.ts'
import { equal, sha256 } from '../../keys/tokens.ts'

/** Lifetime of a proof. Disconnecting and rotating take effect within a second on every process. */
const REMEMBERED_MS = 900
const MOST_REMEMBERED = 10_000
const ACCOUNT_NUMBER = /^\d{12}$/

interface Remembered {
  /** Milliseconds of a monotonic clock. */
  at: number
  proofs: Promise<readonly WebhookProof[]>
}

/**
 * Finds the connection that a webhook secret proves. Several organizations may connect one account
 * number; the secret decides whose the event is. Every stored hash is compared, in constant time.
 * `beforeAsking` may refuse by throwing before storage is asked about a secret that is not known.
 */
export function webhookProofs({ sql, now }: { sql: Sql; now: () => number }) {
  const remembered = new Map<string, Remembered>()

  function load(accountNumber: string, mostAge: number): Promise<readonly WebhookProof[]> {
    const cachedProofs = remembered.get(accountNumber)
    if (cachedProofs && performance.now() - cachedProofs.at < mostAge) return cachedProofs.proofs
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    const entry = { at: performance.now(), proofs: Promise.resolve(listProofs(sql, accountNumber)) }
    remembered.set(accountNumber, entry)
    entry.proofs.catch(() => remembered.delete(accountNumber))
    return entry.proofs
  }

  return async (
    accountNumber: string,
    secret: string,
    beforeAsking: () => Promise<void>,
  ): Promise<WebhookProof | undefined> => {
    const hash = sha256(secret)
    if (!ACCOUNT_NUMBER.test(accountNumber)) return undefined
    const proven = prove(await load(accountNumber, REMEMBERED_MS), hash, now())
    if (proven) return proven
    // A secret that was made a moment ago works at once.
    await beforeAsking()
    return prove(await load(accountNumber, 0), hash, now())
  }
}

/** Compares all secrets, so that the duration does not reveal which one matched. */
function prove(
  proofs: readonly WebhookProof[],
  hash: Buffer,
  now: number,
): WebhookProof | undefined {
  let proven: WebhookProof | undefined
  for (const proof of proofs) {
    const lasts = proof.validUntil === null || Date.parse(proof.validUntil) > now
    if (equal(proof.secretHash, hash) && lasts) proven ??= proof
  }
  return proven
}
