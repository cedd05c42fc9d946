import * as consolePolicies from '../../src/store/accounts/console-policies.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { ConsolePolicies, Refusal } from '../provider.ts'

/** Assuming the role and reading its policy. */
const PROBE_MS = 6_000

export interface ConsolePolicyDeps {
  sql: Sql
  consolePolicies: ConsolePolicies
}

export interface Account {
  organizationId: string
  connectionId: string
}

/** `found`: the version is stored; anything else changed nothing. `skipped`: it was not asked. */
export type ProbeOutcome = 'found' | 'skipped' | Refusal

/**
 * Reads which version of the console policy the account's role carries, and stores it. The
 * caller has taken the account's probe (store/accounts/console-policies) and not given it back.
 */
export async function probeConsolePolicy(
  { sql, consolePolicies: provider }: ConsolePolicyDeps,
  account: Account,
): Promise<ProbeOutcome> {
  const sender = await senders.find(sql, account.organizationId, account.connectionId)
  if (!sender || sender.disconnected) return 'skipped'
  const probe = await consolePolicies.findProbe(sql, account)
  if (!probe) return 'skipped'
  const told = await provider.version(sender, AbortSignal.timeout(PROBE_MS))
  // Whoever sets up the role asks again at once. One that throttles is left alone for the minute.
  if (told.kind === 'denied') await consolePolicies.giveBack(sql, probe)
  if (told.kind !== 'told') return told.kind
  await consolePolicies.record(sql, account, told.value)
  return 'found'
}

/**
 * The same for the sweep, at most once a day for an account: one that was found out about within
 * the last day, or is being asked at this moment, is left alone.
 */
export async function probeConsolePolicyDaily(
  deps: ConsolePolicyDeps,
  account: Account,
): Promise<ProbeOutcome> {
  const probe = await consolePolicies.takeDailyProbe(deps.sql, account)
  return probe ? probeConsolePolicy(deps, account) : 'skipped'
}

export const createConsolePolicyActivities = (deps: ConsolePolicyDeps) => ({
  /** What came of it is stored, and of the provider's answer nothing is returned. */
  probeConsolePolicy: async (account: Account): Promise<void> => {
    await probeConsolePolicy(deps, account)
  },
})
