import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { POLICY_VERSION } from '../../src/domain/aws-actions.ts'
import { isUpToDate } from '../../src/domain/console-policy.ts'
import { isUuid } from '../../src/ids.ts'
import { CloudAccountParams, ConsolePolicyReading } from '../../src/schemas/console-policy.ts'
import * as connections from '../../src/store/connections.ts'
import * as consolePolicies from '../../src/store/console-policies.ts'
import { CONSOLE_POLICY } from '../../workflows/contract.ts'
import type { TenantDeps } from '../deps.ts'
import { missing } from '../ownership.ts'

const ANSWER_MS = 8_000

/** Whether the role in a customer's account carries the newest console policy. */
export const accountPolicyRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { asker, now } = deps

  app.post(
    '/v1/account/console-policy/:cloudAccountId/recheck',
    {
      // The provider is asked between two transactions.
      config: { scope: 'full', leased: true },
      schema: {
        tags: ['account'],
        operationId: 'recheckConsolePolicy',
        summary: 'Find out which version of the console policy an account carries',
        description:
          'Asks the account at most once a minute, whoever calls. Within that minute, and when the account cannot be asked or answers in time that it is asked too much, the last finding is answered with `rechecked` false.',
        params: CloudAccountParams,
        response: { 200: ConsolePolicyReading },
      },
    },
    async ({ caller: { organizationId, sql }, params: { cloudAccountId: id } }) => {
      const account = isUuid(id)
        ? await connections.findAccount(sql, organizationId, id)
        : undefined
      if (!account) throw await missing(sql, 'connection', organizationId, id)
      const key = { organizationId, connectionId: account.id }
      const probe = await consolePolicies.takeProbe(sql, key)
      if (probe) {
        try {
          await asker.ask({ ...key, what: CONSOLE_POLICY }, now() + ANSWER_MS)
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
    },
  )
}
