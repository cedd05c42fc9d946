import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { recheckPolicy } from '../../../src/core/accounts/recheck-policy.ts'
import {
  CloudAccountParams,
  ConsolePolicyReading,
} from '../../../src/schemas/accounts/console-policy.ts'
import type { TenantDeps } from '../../deps.ts'

export const accountPolicyRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  app.post(
    '/v1/account/console-policy/:cloudAccountId/recheck',
    {
      // The provider is asked between two transactions.
      config: { scope: 'full', leased: true },
      schema: {
        tags: ['account'],
        operationId: 'recheckConsolePolicy',
        summary: 'Recheck the console policy of an account',
        description:
          'Reads the version of the policy from the account, at most once a minute for all callers. Within that minute, or if the account cannot be called or throttles the call, the last result is returned with `rechecked` false.',
        params: CloudAccountParams,
        response: { 200: ConsolePolicyReading },
      },
    },
    ({ caller, params }) => recheckPolicy(deps, caller, params.cloudAccountId),
  )
}
