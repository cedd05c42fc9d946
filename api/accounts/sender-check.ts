import type { FastifyRequest } from 'fastify'
import {
  type CheckedSenders,
  createSenderCheck,
  NOTHING_KNOWN,
  type Sender,
} from '../../src/core/accounts/sender-check.ts'
import type { Asker } from '../../src/core/accounts/ask-provider.ts'
import type { Warning } from '../../src/schemas/common.ts'

/**
 * Keeps what was found out about the senders of a request. They are checked in a `preHandler`: no
 * transaction is open while an account is asked, and a request that is answered by its
 * Idempotency-Key is refused for nothing that was found.
 */
export function createSenderChecks(deps: { asker: Asker; now: () => number }) {
  const checkSenders = createSenderCheck(deps)
  const checked = new WeakMap<FastifyRequest, CheckedSenders>()

  return {
    /** Asks about the senders of a request, all at once, within two seconds. */
    check: async (request: FastifyRequest, senders: readonly Sender[]): Promise<void> => {
      checked.set(request, await checkSenders(request.caller, senders))
    },

    /** What was found. */
    of: (request: FastifyRequest): CheckedSenders => checked.get(request) ?? NOTHING_KNOWN,
  }
}

/** An answer, with its warnings if there are any. */
export const warned = <T extends object>(
  answer: T,
  warnings: Warning[],
): T & { warnings?: Warning[] } => (warnings.length === 0 ? answer : { ...answer, warnings })
