import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { notFound } from '../../../src/domain/errors.ts'
import { THRESHOLDS, usedRatio, withProblems, worst } from '../../../src/domain/accounts/health.ts'
import { isUuid } from '../../../src/runtime/ids.ts'
import {
  type AccountHealth,
  AccountHealthParams,
  AccountHealthRecord,
  OrganizationHealth,
} from '../../../src/schemas/accounts/account-health.ts'
import * as health from '../../../src/store/accounts/health.ts'
import type { TenantDeps } from '../../deps.ts'

const tags = ['account']

export const accountHealthRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.get(
    '/v1/account/health',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'getOrganizationHealth',
        summary: 'Get the sending health of all connected accounts',
        description:
          'Returns the results of the last hourly check and the worst status of all accounts: `in_danger`, then `at_risk`, `unknown`, `healthy`. `checkedAt` is the time of the latest check. The provider is not called.',
        response: { 200: OrganizationHealth },
      },
    },
    async ({ caller: { sql, organizationId } }) => {
      const accounts = (await health.list(sql, organizationId)).map(record)
      return {
        status: worst(accounts.map(({ status }) => status)),
        checkedAt: latest(accounts.map(({ checkedAt }) => checkedAt)),
        accounts,
      }
    },
  )

  app.get(
    '/v1/account/health/:cloudAccountId',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'getAccountHealth',
        summary: 'Get the sending health of one connected account',
        description: 'Returns the result of the last hourly check. The provider is not called.',
        params: AccountHealthParams,
        response: { 200: AccountHealthRecord },
      },
    },
    async ({ caller: { sql, organizationId }, params: { cloudAccountId } }) => {
      const accountHealth = isUuid(cloudAccountId)
        ? await health.find(sql, { organizationId, connectionId: cloudAccountId })
        : undefined
      // Also for another organization's account: a 403 would say that it exists.
      if (!accountHealth) throw notFound('Account')
      return record(accountHealth)
    },
  )
}

const record = (accountHealth: health.AccountHealth): AccountHealth => {
  const { productionAccessEnabled, max24Hour, sentLast24Hours, maxSendRate } = accountHealth
  const { status, reasons } = withProblems(accountHealth, accountHealth.eventProblems)
  return {
    id: accountHealth.id,
    accountNumber: accountHealth.accountNumber,
    region: accountHealth.region,
    status,
    checkedAt: accountHealth.checkedAt,
    sandbox: productionAccessEnabled === null ? null : !productionAccessEnabled,
    productionAccessEnabled,
    sendingEnabled: accountHealth.sendingEnabled,
    enforcementStatus: accountHealth.enforcementStatus,
    quota: { max24Hour, sentLast24Hours, usedRatio: usedRatio(accountHealth), maxSendRate },
    reputation: {
      bounceRate: accountHealth.bounceRate,
      complaintRate: accountHealth.complaintRate,
    },
    thresholds: { ...THRESHOLDS },
    reasons,
  }
}

/** ISO times in UTC sort as they pass. */
const latest = (times: readonly (string | null)[]): string | null =>
  times.reduce(
    (latestTime, each) => (latestTime === null || (each ?? '') > latestTime ? each : latestTime),
    null,
  )
