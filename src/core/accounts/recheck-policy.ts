import { POLICY_VERSION } from '../../domain/accounts/aws-actions.ts'
import { isUpToDate } from '../../domain/accounts/console-policy.ts'
import { CONSOLE_POLICY_VERSION } from '../../domain/accounts/provider-questions.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import * as connections from '../../store/accounts/connections.ts'
import * as consolePolicies from '../../store/accounts/console-policies.ts'
import type { Sql } from '../../store/db/sql.ts'
import { missing } from '../access/ownership.ts'
import type { Asker } from './ask-provider.ts'

const ANSWER_MS = 8_000

/**
 * Reads the version of the console policy of an account. The account is asked at most once a
 * minute.
 */
export async function recheckPolicy(
  { asker, now }: { asker: Asker; now: () => number },
  { sql, organizationId }: { sql: Sql; organizationId: Uuid },
  id: string,
) {
  const account = isUuid(id) ? await connections.findAccount(sql, organizationId, id) : undefined
  if (!account) throw await missing(sql, 'connection', organizationId, id)
  const key = { organizationId, connectionId: account.id }
  const probe = await consolePolicies.takeProbe(sql, key)
  if (probe) {
    try {
      await asker.ask({ ...key, what: CONSOLE_POLICY_VERSION }, now() + ANSWER_MS)
    } catch (error) {
      await consolePolicies.giveBack(sql, probe)
      throw error
    }
  }
  const { version, checkedAt } = await consolePolicies.find(sql, key)
  return {
    version,
    currentVersion: POLICY_VERSION,
    upToDate: isUpToDate(version),
    checkedAt,
    rechecked: probe !== undefined && checkedAt !== null && checkedAt >= probe.probedAt,
  }
}
