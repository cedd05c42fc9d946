import { type Static, Type } from 'typebox'
import { HEALTH_STATUSES, THRESHOLDS } from '../../domain/accounts/health.ts'
import { ID, Id, nullable, oneOf, strict, TIME, Time } from '../common.ts'

const Figure = nullable(Type.Number())
const Flag = nullable(Type.Boolean())
const Rate = (description: string) => Type.Number({ description })

export const AccountHealth = Type.Object(
  {
    id: Id,
    accountNumber: Type.String(),
    region: Type.String(),
    status: oneOf(HEALTH_STATUSES, {
      description: '`unknown`: never checked, or without an answer for a day.',
    }),
    checkedAt: nullable(Time),
    sandbox: Flag,
    productionAccessEnabled: Flag,
    sendingEnabled: Flag,
    enforcementStatus: nullable(Type.String()),
    quota: Type.Object({
      max24Hour: nullable(Type.Number({ description: 'Mails in 24 hours. -1: unlimited.' })),
      sentLast24Hours: Figure,
      usedRatio: nullable(
        Type.Number({
          description: 'Used share of the 24-hour quota. Null if the quota is unlimited.',
        }),
      ),
      maxSendRate: Figure,
    }),
    reputation: Type.Object({ bounceRate: Figure, complaintRate: Figure }),
    thresholds: Type.Object({
      bounceReview: Rate('The provider may review an account from here on.'),
      bouncePause: Rate('The provider may pause an account from here on.'),
      complaintReview: Rate('The provider may review an account from here on.'),
      complaintPause: Rate('The provider may pause an account from here on.'),
      quotaWarn: Rate('Share of the 24-hour quota.'),
    }),
    reasons: Type.Array(Type.String(), {
      description:
        'In danger: `sending_disabled`, `enforcement_<status>`, `bounce_pause`, `complaint_pause`. At risk: `enforcement_probation`, `bounce_review`, `complaint_review`, `quota_high`, and of delivery events, as they are now: `events_missing`, `event_queue_denied`, `event_queue_missing`, `event_queue_throttled`, `event_queue_failed`.',
    }),
  },
  { title: 'AccountHealth' },
)
export type AccountHealth = Static<typeof AccountHealth>

const example = {
  id: ID,
  accountNumber: '123456789012',
  region: 'eu-central-1',
  status: 'at_risk',
  checkedAt: TIME,
  sandbox: false,
  productionAccessEnabled: true,
  sendingEnabled: true,
  enforcementStatus: 'HEALTHY',
  quota: { max24Hour: 50_000, sentLast24Hours: 41_000, usedRatio: 0.82, maxSendRate: 14 },
  reputation: { bounceRate: 0.012, complaintRate: 0.0002 },
  thresholds: { ...THRESHOLDS },
  reasons: ['quota_high'],
}

export const AccountHealthRecord = Type.Object(AccountHealth.properties, {
  title: 'AccountHealthRecord',
  examples: [example],
})

export const OrganizationHealth = Type.Object(
  {
    status: oneOf(HEALTH_STATUSES, {
      description: 'The worst status of all accounts. `unknown` if there are none.',
    }),
    checkedAt: nullable(Time),
    accounts: Type.Array(AccountHealth),
  },
  {
    title: 'OrganizationHealth',
    examples: [{ status: 'at_risk', checkedAt: TIME, accounts: [example] }],
  },
)
export type OrganizationHealth = Static<typeof OrganizationHealth>

export const AccountHealthParams = strict({
  cloudAccountId: Type.String({
    minLength: 1,
    maxLength: 36,
    description: 'The `id` of a connection.',
  }),
})
