import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { type Asker, cannotAsk } from '../../src/core/accounts/ask-provider.ts'
import { ASK_MS } from '../../src/domain/accounts/provider-questions.ts'
import { type AskProviderInput, askWorkflowId, CONTROL_QUEUE } from '../../workflows/contract.ts'

/** Milliseconds for a start. A Temporal that answers at all takes far less. */
const START_MS = 2_000

interface Options {
  client: Client
  log: { warn(fields: object, message: string): void }
}

export function createAsker({ client, log }: Options): Asker {
  const { connection } = client

  const start = async (input: AskProviderInput, until: number) => {
    const { organizationId, connectionId, what } = input
    try {
      return await connection.withDeadline(Math.min(until, Date.now() + START_MS), () =>
        client.workflow.start('askProvider', {
          workflowId: askWorkflowId(connectionId, what),
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowExecutionTimeout: ASK_MS,
          taskQueue: CONTROL_QUEUE,
          args: [input],
          // Of one organization's questions many may be slow; the others' are not behind them.
          priority: { fairnessKey: organizationId },
          staticSummary: `Ask connection ${connectionId} about ${what}`,
          searchAttributes: {
            OrganizationId: [organizationId],
            ConnectionId: [connectionId],
            Kind: ['ask'],
          },
        }),
      )
    } catch (error) {
      log.warn({ err: error }, 'a question to a provider could not be put')
      throw cannotAsk()
    }
  }

  return {
    ask: async (input, until) => {
      const handle = await start(input, until)
      const late = new AbortController()
      const runResult = connection
        .withDeadline(until, () => handle.result())
        // A run that failed, or is not over in time, may have answered or not: Postgres tells.
        .catch(() => {})
      const waited = sleep(Math.max(0, until - Date.now()), undefined, { signal: late.signal })
      try {
        await Promise.race([runResult, waited])
      } finally {
        late.abort()
        await waited.catch(() => {})
      }
    },
  }
}
