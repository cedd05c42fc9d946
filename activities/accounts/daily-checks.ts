import type { Purpose } from '../../src/domain/accounts/aws-actions.ts'
import type { IamRole } from '../../src/domain/accounts/iam-role.ts'
import type { SendingConnection } from '../../src/store/accounts/senders.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { probeConsolePolicyDaily } from './console-policy.ts'
import type { Verifier } from '../mailer.ts'
import type { ConsolePolicies } from '../provider.ts'
import { verifySender } from './verify-connection.ts'

const DAY_MS = 86_400_000

interface DailyDeps {
  sql: Sql
  verifier: Verifier
  consolePolicies: ConsolePolicies
  roles: { forget(iamRole: IamRole, purpose: Purpose): void }
}

export const dailyChecks = ({ sql, verifier, consolePolicies, roles }: DailyDeps) => [
  async (sender: SendingConnection): Promise<void> => {
    const { verifiedAgoMs } = sender
    if (verifiedAgoMs !== null && verifiedAgoMs < DAY_MS) return
    await verifySender(sql, verifier, sender)
  },
  async (sender: SendingConnection): Promise<void> => {
    await probeConsolePolicyDaily({ sql, consolePolicies }, sender)
    // Sessions that are used once a day are not cached, since they would displace those that send.
    roles.forget(sender, 'policy')
  },
]
