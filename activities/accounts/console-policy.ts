import * as consolePolicies from '../../src/store/accounts/console-policies.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { ConsolePolicies, Refusal } from '../provider.ts'

const PROBE_MS = 6_000

export interface ConsolePolicyDeps {
  sql: Sql
  consolePolicies: ConsolePolicies
}

export interface Account {
  organizationId: string
  connectionId: string
}

/**
 * `found`: the version is stored. All other outcomes change nothing. `skipped`: the provider was
 * not asked.
 */
export type ProbeOutcome = 'found' | 'skipped' | Refusal

/**
 * Reads the version of the console policy that the account's role carries, and stores it. The
 * caller holds the account's probe (store/accounts/console-policies).
 */
export async function probeConsolePolicy(
  { sql, consolePolicies: provider }: ConsolePolicyDeps,
  account: Account,
): Promise<ProbeOutcome> {
  const sender = await senders.find(sql, account.organizationId, account.connectionId)
  if (!sender || sender.disconnected) return 'skipped'
  const probe = await consolePolicies.findProbe(sql, account)
  if (!probe) return 'skipped'
  const answer = await provider.version(sender, AbortSignal.timeout(PROBE_MS))
  // A person who sets up the role asks again at once. A throttling provider is left alone for the
  // minute.
  if (answer.kind === 'denied') await consolePolicies.giveBack(sql, probe)
  if (answer.kind !== 'told') return answer.kind
  await consolePolicies.record(sql, account, answer.value)
  return 'found'
}

/**
 * Does the same for the sweep, at most once a day for an account. Skips accounts that were probed
 * within the last day or are being probed now.
 */
export async function probeConsolePolicyDaily(
  deps: ConsolePolicyDeps,
  account: Account,
): Promise<ProbeOutcome> {
  const probe = await consolePolicies.takeDailyProbe(deps.sql, account)
  return probe ? probeConsolePolicy(deps, account) : 'skipped'
}

export const createConsolePolicyActivities = (deps: ConsolePolicyDeps) => ({
  probeConsolePolicy: async (account: Account): Promise<void> => {
    await probeConsolePolicy(deps, account)
  },
})
