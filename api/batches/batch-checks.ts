import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Asker } from '../../src/core/accounts/ask-provider.ts'
import { resolveSender } from '../../src/core/accounts/resolve-sender.ts'
import { estimateAudience } from '../../src/core/batches/batch-audience.ts'
import { CONTENT_PATHS, sourcesOf } from '../../src/core/batches/batch-content.ts'
import { namedAudience } from '../../src/core/batches/batch-references.ts'
import type { BatchContext } from '../../src/core/batches/prepare-batch.ts'
import { awaitChecks } from '../../src/mail/content-checks.ts'
import type { BatchInput } from '../../src/schemas/batches/batch.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createSenderChecks } from '../accounts/sender-check.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Estimated number of contacts in the audience of the request's batch. */
    audienceEstimate: number | undefined
  }
}

interface Deps {
  asker: Asker
  searchSql: Sql
  now: () => number
}

/**
 * Checks a batch in a `preHandler`, before its transaction: whether the account may send from its
 * address, whether its content compiles, and its estimated number of recipients.
 */
export function createBatchChecks(app: FastifyInstance, { asker, searchSql, now }: Deps) {
  const senders = createSenderChecks(app, { asker, now })
  app.decorateRequest('audienceEstimate', undefined)

  return {
    /** `isCompiled`: the content is stored already. */
    check: async (
      request: FastifyRequest,
      input: BatchInput,
      { isCompiled = false } = {},
    ): Promise<void> => {
      const { caller, contents } = request
      const { organizationId, sql } = caller
      const checkSender = async (): Promise<void> => {
        const sender = await resolveSender(sql, organizationId, input)
        if (!('problem' in sender)) await senders.check(request, [sender])
      }
      const checkContent = async (): Promise<void> => {
        const sources = isCompiled ? [] : await sourcesOf(sql, organizationId, input)
        await awaitChecks(sources.map((source) => contents.compile(source, CONTENT_PATHS)))
      }
      const estimate = async (): Promise<void> => {
        const at = new Date(now()).toISOString()
        const pools = { sql, searchSql }
        const audience = namedAudience(input)
        request.audienceEstimate = await estimateAudience(pools, organizationId, audience, at)
      }
      await Promise.all([checkSender(), checkContent(), estimate()])
    },

    of: (request: FastifyRequest): BatchContext => ({
      senders: senders.of(request),
      compile: request.contents.compile.bind(request.contents),
      estimate: request.audienceEstimate ?? 0,
      now: now(),
      requestId: request.id,
    }),
  }
}
