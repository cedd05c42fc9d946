import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch'
import { GetAccountCommand, type GetAccountResponse, SESv2Client } from '@aws-sdk/client-sesv2'
import type { AccountReading } from '../../src/domain/accounts/health.ts'
import type { HealthReader, ProviderAnswer } from '../provider.ts'
import { ask } from './asking.ts'
import type { IamRole } from '../../src/domain/accounts/iam-role.ts'
import type { Roles } from './roles.ts'
import type { Credentials } from './signature.ts'
import { signedWith } from './signed-with.ts'

/**
 * SES reports its reputation metrics about once an hour, with gaps. The newest point in this period
 * counts.
 */
const LOOK_BACK_MS = 72 * 3_600_000
const PERIOD_SECONDS = 3_600

/** Metrics of the whole account, without dimensions (SES developer guide). */
const METRICS = { bounce: 'Reputation.BounceRate', complaint: 'Reputation.ComplaintRate' } as const

/**
 * Reads SES v2 GetAccount and, from CloudWatch, the two rates by which SES judges an account.
 * Without CloudWatch the rates are missing. Without GetAccount there is no reading.
 */
export function createHealthReader(roles: Roles): HealthReader {
  return {
    read: async (iamRole, signal) => {
      try {
        return await readAll(roles, iamRole, signal)
      } finally {
        // Used once an hour. Cached sessions would displace those that send.
        roles.forget(iamRole, 'health')
      }
    },
  }
}

async function readAll(
  roles: Roles,
  iamRole: IamRole,
  signal: AbortSignal,
): Promise<ProviderAnswer<AccountReading>> {
  const question = { roles, iamRole, purpose: 'health', signal } as const
  const account = await ask({
    ...question,
    call: (credentials) => readAccount(iamRole, credentials, signal),
  })
  if (account.kind !== 'told') return account
  const rates = await ask({
    ...question,
    tries: 1,
    call: (credentials) => readRates(iamRole, credentials, signal),
  })
  const { bounce, complaint } = rates.kind === 'told' ? rates.value : NO_RATES
  const value = { ...reading(account.value), bounceRate: bounce, complaintRate: complaint }
  return { kind: 'told', value }
}

const NO_RATES = { bounce: null, complaint: null }

const configOf = ({ region }: IamRole, credentials: Credentials) => ({
  region,
  ...signedWith(credentials),
  maxAttempts: 1,
})

async function readAccount(iamRole: IamRole, credentials: Credentials, abortSignal: AbortSignal) {
  const client = new SESv2Client(configOf(iamRole, credentials))
  try {
    return await client.send(new GetAccountCommand({}), { abortSignal })
  } finally {
    client.destroy()
  }
}

const reading = ({
  ProductionAccessEnabled: productionAccessEnabled,
  SendingEnabled: sendingEnabled,
  EnforcementStatus: enforcementStatus,
  SendQuota: quota = {},
  PricingAttributes: pricing = {},
}: GetAccountResponse) => ({
  productionAccessEnabled: productionAccessEnabled ?? null,
  sendingEnabled: sendingEnabled ?? null,
  enforcementStatus: enforcementStatus ? enforcementStatus.slice(0, 100) : null,
  max24Hour: quota.Max24HourSend ?? null,
  sentLast24Hours: quota.SentLast24Hours ?? null,
  maxSendRate: quota.MaxSendRate ?? null,
  pricingPlan: pricing.CurrentPlan?.slice(0, 100) ?? null,
})

async function readRates(iamRole: IamRole, credentials: Credentials, abortSignal: AbortSignal) {
  const client = new CloudWatchClient(configOf(iamRole, credentials))
  const now = Date.now()
  try {
    const { MetricDataResults: results = [] } = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(now - LOOK_BACK_MS),
        EndTime: new Date(now),
        ScanBy: 'TimestampDescending',
        MetricDataQueries: Object.entries(METRICS).map(([Id, MetricName]) => ({
          Id,
          MetricStat: {
            Metric: { Namespace: 'AWS/SES', MetricName },
            Period: PERIOD_SECONDS,
            Stat: 'Average',
          },
        })),
      }),
      { abortSignal },
    )
    const newest = (id: keyof typeof METRICS): number | null =>
      results.find(({ Id }) => Id === id)?.Values?.[0] ?? null
    return { bounce: newest('bounce'), complaint: newest('complaint') }
  } finally {
    client.destroy()
  }
}
