import { proxyActivities } from '@temporalio/workflow'
import type { ProviderActivities } from '../activities/index.ts'
import { CONSOLE_POLICY_VERSION, VERIFICATION } from '../src/domain/accounts/provider-questions.ts'
import { type AskProviderInput, PROVIDER_QUEUE } from './contract.ts'

const { checkConnection, readIdentities, probeConsolePolicy } = proxyActivities<ProviderActivities>(
  {
    taskQueue: PROVIDER_QUEUE,
    // Each query gives up earlier by itself. A lost worker is noticed sooner.
    startToCloseTimeout: '25s',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '200ms', maximumAttempts: 2 },
  },
)

/**
 * Sends one query to a connection's provider, at most once at a time: callers with the same query
 * wait for the same run. The answer is stored in Postgres. Neither names in the query nor the
 * answer enter the history. The run ends within seconds, and a missing answer is simply requested
 * again.
 */
export async function askProvider(input: AskProviderInput): Promise<void> {
  if (input.what === CONSOLE_POLICY_VERSION) await probeConsolePolicy(input)
  else if (input.what === VERIFICATION) await checkConnection(input)
  else await readIdentities(input)
}
