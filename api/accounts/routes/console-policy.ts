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
        summary: 'Find out which version of the console policy an account carries',
        description:
          'Asks the account at most once a minute, whoever calls. Within that minute, and when the account cannot be asked or answers in time that it is asked too much, the last finding is answered with `rechecked` false.',
        params: CloudAccountParams,
        response: { 200: ConsolePolicyReading },
      },
    },
    ({ caller, params }) => recheckPolicy(deps, caller, params.cloudAccountId),
  )
}
