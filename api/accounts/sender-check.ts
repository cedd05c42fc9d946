import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  type CheckedSenders,
  createSenderCheck,
  NOTHING_KNOWN,
  type Sender,
} from '../../src/core/accounts/sender-check.ts'
import type { Asker } from '../../src/core/accounts/ask-provider.ts'
import type { Warning } from '../../src/schemas/common.ts'

declare module 'fastify' {
  interface FastifyRequest {
    checkedSenders: CheckedSenders | undefined
  }
}

/**
 * Stores the results of sender checks with the request. Senders are checked in a `preHandler`, so
 * no transaction is open while an account is asked, and a request that is answered by its
 * Idempotency-Key is never refused because of a check.
 */
export function createSenderChecks(
  app: FastifyInstance,
  deps: { asker: Asker; now: () => number },
) {
  const checkSenders = createSenderCheck(deps)
  app.decorateRequest('checkedSenders', undefined)

  return {
    check: async (request: FastifyRequest, senders: readonly Sender[]): Promise<void> => {
      request.checkedSenders = await checkSenders(request.caller, senders)
    },

    of: ({ checkedSenders }: FastifyRequest): CheckedSenders => checkedSenders ?? NOTHING_KNOWN,
  }
}

export const warned = <T extends object>(
  answer: T,
  warnings: Warning[],
): T & { warnings?: Warning[] } => (warnings.length === 0 ? answer : { ...answer, warnings })
