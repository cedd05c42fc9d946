import type { Asker } from '../../src/core/accounts/ask-provider.ts'
import { probeConsolePolicy } from '../../activities/accounts/console-policy.ts'
import { createIdentityActivities } from '../../activities/accounts/identities.ts'
import type { Verifier } from '../../activities/mailer.ts'
import type { ConsolePolicies, Identities } from '../../activities/provider.ts'
import { createCheckActivities } from '../../activities/accounts/verify-connection.ts'
import type { ListedIdentity } from '../../src/domain/accounts/identity.ts'
import type { DnsResolver } from '../../src/net/resolver.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import {
  CONSOLE_POLICY_VERSION,
  VERIFICATION,
} from '../../src/domain/accounts/provider-questions.ts'

/** Senders of tests' batches and flows. */
const SENDERS = ['example.com', 'letterloom.example']

const listed = (identity: string): ListedIdentity => ({
  identity,
  identityType: identity.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN',
  sendingEnabled: true,
  verificationStatus: 'SUCCESS',
})

/**
 * Accounts with the identities that bear their organization's mark (support/matrix.ts), those that
 * tests send from, and a role with the first version of the console policy.
 */
const identities: Identities = {
  async *list({ organizationId }) {
    const names = [`mark${organizationId.slice(-12)}.example.com`, ...SENDERS]
    yield { kind: 'told', value: names.map(listed) }
  },
  find: async ({ organizationId }, identity) => {
    if (!identity.includes(`mark${organizationId.slice(-12)}`)) {
      return { kind: 'told', value: undefined }
    }
    const { identityType, verificationStatus } = listed(identity)
    return {
      kind: 'told',
      value: {
        identity,
        identityType,
        verificationStatus,
        verifiedForSending: true,
        dkim: null,
        mailFromDomain: null,
        feedbackForwarding: true,
        configurationSet: null,
      },
    }
  },
}
const consolePolicies: ConsolePolicies = { version: async () => ({ kind: 'told', value: 1 }) }

/** Everything is allowed, and the role requires its external id. */
const verifier: Verifier = {
  verify: async () => ({
    checks: ['role', 'external_id', 'ses:GetAccount', 'ses:SendEmail'].map((name) => ({
      name,
      ok: true,
    })),
    maxSendRate: 14,
    max24Hour: 50_000,
    sentLast24Hours: 0,
    pricingPlan: 'NONE',
    from: null,
  }),
  acceptsConfigurationSet: async () => undefined,
}

/** A DNS without names. */
export const emptyDns: DnsResolver = { resolve: async () => [] }

/** Asks at once in this process, as the workflow's activities would, for tests of the API. */
export function directAsker(sql: Sql): Asker {
  const { readIdentities } = createIdentityActivities({ sql, identities, resolver: emptyDns })
  const { checkConnection } = createCheckActivities({ sql, verifier })
  return {
    ask: async (input) => {
      if (input.what === CONSOLE_POLICY_VERSION)
        await probeConsolePolicy({ sql, consolePolicies }, input)
      else if (input.what === VERIFICATION) await checkConnection(input)
      else await readIdentities(input)
    },
  }
}
