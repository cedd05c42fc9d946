import type { SesCall } from './call.ts'

/** SES v2 GetAccount. */
export function getAccount({ deps, account, faults }: SesCall) {
  const suspended = faults.suspended || account.enforcementStatus === 'SHUTDOWN'
  return {
    DedicatedIpAutoWarmupEnabled: false,
    EnforcementStatus: suspended ? 'SHUTDOWN' : account.enforcementStatus,
    ProductionAccessEnabled: account.productionAccess,
    SendQuota: {
      Max24HourSend: account.max24Hour,
      MaxSendRate: account.maxSendRate,
      SentLast24Hours: account.sentLast24Hours ?? deps.limiter.sentLast24Hours(account),
    },
    SendingEnabled: account.sendingEnabled && !suspended && !faults.sendingPaused,
    SuppressionAttributes: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    PricingAttributes: { CurrentPlan: account.pricingPlan },
  }
}
