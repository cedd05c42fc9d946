import { proxyActivities } from '@temporalio/workflow'
import type { ProviderActivities } from '../activities/index.ts'
import { CONSOLE_POLICY_VERSION, VERIFICATION } from '../src/domain/accounts/provider-questions.ts'
import { type AskProviderInput, PROVIDER_QUEUE } from './contract.ts'

const { checkConnection, readIdentities, probeConsolePolicy } = proxyActivities<ProviderActivities>(
  {
    taskQueue: PROVIDER_QUEUE,
    // Each gives up by itself before; a lost worker is noticed sooner.
    startToCloseTimeout: '25s',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '200ms', maximumAttempts: 2 },
  },
)

/**
 * Asks a connection's provider one question, at most once at a time: a caller that asks the same
 * meanwhile waits for the same run. The answer is rows in Postgres; neither what was asked for by
 * name nor what was answered enters the history. It ends within seconds, and an answer that never
 * came is simply asked for again.
 */
export async function askProvider(input: AskProviderInput): Promise<void> {
  if (input.what === CONSOLE_POLICY_VERSION) await probeConsolePolicy(input)
  else if (input.what === VERIFICATION) await checkConnection(input)
  else await readIdentities(input)
}
