import { partition } from '../domain/accounts/iam-role.ts'
import type { Setup } from './policies.ts'

export const SECRET_HEADER = 'x-webhook-secret'

/**
 * The event types that SES publishes (SES v2 API reference, EventDestination, MatchingEventTypes).
 */
export const EVENT_TYPES = [
  'SEND',
  'REJECT',
  'BOUNCE',
  'COMPLAINT',
  'DELIVERY',
  'OPEN',
  'CLICK',
  'RENDERING_FAILURE',
  'DELIVERY_DELAY',
] as const

/** Matches events of mail, not SES' advice (SES developer guide, EventBridge). */
export const EVENT_PATTERN = { source: ['aws.ses'], 'detail-type': [{ prefix: 'Email ' }] }

/** EventBridge's maximum: a day and 185 tries (EventBridge user guide, "Retry policy"). */
export const RETRY = { maximumSeconds: 86_400, maximumAttempts: 185 }

/** The maximum of SQS. Events wait two weeks for us, and undelivered ones are kept as long. */
export const KEPT_SECONDS = 1_209_600
/**
 * A message received this often and never deleted is set aside, so that it does not block others.
 */
export const MOST_RECEIVES = 100
/** Visibility timeout of a request that does not set one. Ours do. */
export const HIDDEN_SECONDS = 30
export const WAIT_SECONDS = 20

/**
 * A mail makes a Send and a Delivery, some mails an Open and a Click. After an outage the waiting
 * events come on top.
 */
const CALLS_PER_MAIL = 4
/** A floor, since opens and clicks of earlier mail come in bursts however slowly mail leaves. */
const FEWEST_CALLS = 20
/** The default quota of an API destination (EventBridge user guide, "Quotas"). */
const MOST_CALLS = 300

export interface EventRate {
  /** The rate of the rule. EventBridge holds excess events for up to a day. */
  perSecond: number
  /** The rate that the account needs, if it is above the default quota of AWS. */
  neededRate: number | undefined
}

/**
 * Returns how many events a second to deliver for an account that may send `maxSendRate` mails a
 * second.
 */
export function eventRate(maxSendRate: number | null): EventRate {
  if (maxSendRate === null) return { perSecond: MOST_CALLS, neededRate: undefined }
  const neededRate = Math.max(FEWEST_CALLS, Math.ceil(maxSendRate * CALLS_PER_MAIL))
  return neededRate > MOST_CALLS
    ? { perSecond: MOST_CALLS, neededRate }
    : { perSecond: neededRate, neededRate: undefined }
}

export const rateDescription = ({ neededRate }: EventRate): string =>
  neededRate === undefined
    ? 'Delivery events a second; others wait in EventBridge, for a day at most'
    : `Delivery events a second; others wait in EventBridge, for a day at most. This account can make ${neededRate}: have AWS raise the quota of invocations of an API destination, then set ${neededRate} here`

export const busArn = ({ region, accountId }: Setup): string =>
  `arn:${partition(region)}:events:${region}:${accountId}:event-bus/default`

/**
 * A command for mail that does not name the configuration set. Templates do not know the
 * identities.
 */
export const defaultSetCommand = (name: string, region: string): string =>
  `aws sesv2 put-email-identity-configuration-set-attributes --region ${region} --configuration-set-name ${name} --email-identity YOUR-DOMAIN`
