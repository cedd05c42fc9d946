import { partition } from '../domain/accounts/iam-role.ts'
import type { Setup } from './policies.ts'

/** The header that our webhook knows the account by. */
export const SECRET_HEADER = 'x-webhook-secret'

/** SES publishes these (SES v2 API reference, EventDestination, MatchingEventTypes). */
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

/** What the rule takes from the bus: mail, not SES' advice (SES developer guide, EventBridge). */
export const EVENT_PATTERN = { source: ['aws.ses'], 'detail-type': [{ prefix: 'Email ' }] }

/** EventBridge's own most: a day and 185 tries (EventBridge user guide, "Retry policy"). */
export const RETRY = { maximumSeconds: 86_400, maximumAttempts: 185 }

/** SQS' own most: events wait two weeks for us, and what nobody took waits as long. */
export const KEPT_SECONDS = 1_209_600
/** A message that was received so often and never deleted is set aside: it stops no others. */
export const MOST_RECEIVES = 100
/** Where the request does not say it, as ours does. */
export const HIDDEN_SECONDS = 30
/** The longest: an empty queue costs three calls a minute. */
export const WAIT_SECONDS = 20

/**
 * A mail makes a Send and a Delivery, some mails an Open and a Click, and after an outage the
 * events that waited come on top of the new ones.
 */
const CALLS_PER_MAIL = 4
/** Opens and clicks of what was sent before come at once, however slowly mail leaves. */
const FEWEST_CALLS = 20
/**
 * What AWS allows an API destination until it raises the quota (EventBridge user guide, "Quotas").
 */
const MOST_CALLS = 300

export interface EventRate {
  /** The rule's rate: what is more waits with EventBridge, for a day at most. */
  perSecond: number
  /** What the account's own rate of mails asks for, where AWS has to be asked first. */
  wanted: number | undefined
}

/** How many events a second are to be delivered for an account that may send `rate` mails. */
export function eventRate(maxSendRate: number | null): EventRate {
  if (maxSendRate === null) return { perSecond: MOST_CALLS, wanted: undefined }
  const wanted = Math.max(FEWEST_CALLS, Math.ceil(maxSendRate * CALLS_PER_MAIL))
  return wanted > MOST_CALLS
    ? { perSecond: MOST_CALLS, wanted }
    : { perSecond: wanted, wanted: undefined }
}

/** What the parameter of the rate says of itself. */
export const rateDescription = ({ wanted }: EventRate): string =>
  wanted === undefined
    ? 'Delivery events a second; others wait in EventBridge, for a day at most'
    : `Delivery events a second; others wait in EventBridge, for a day at most. This account can make ${wanted}: have AWS raise the quota of invocations of an API destination, then set ${wanted} here`

/** SES delivers to the default bus only. */
export const busArn = ({ region, accountId }: Setup): string =>
  `arn:${partition(region)}:events:${region}:${accountId}:event-bus/default`

/** For mail that does not name the set: which identity it comes from, no template knows. */
export const defaultSetCommand = (name: string, region: string): string =>
  `aws sesv2 put-email-identity-configuration-set-attributes --region ${region} --configuration-set-name ${name} --email-identity YOUR-DOMAIN`
