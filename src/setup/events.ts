import { partition } from '../domain/role.ts'
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

/** Calls a second at most; more wait in EventBridge. */
export const CALLS_PER_SECOND = 300

/** SES delivers to the default bus only. */
export const busArn = ({ region, accountId }: Setup): string =>
  `arn:${partition(region)}:events:${region}:${accountId}:event-bus/default`

/** Tells the customer what no template can: which of his identities mail comes from. */
export const defaultSetCommand = (name: string, region: string): string =>
  `aws sesv2 put-email-identity-configuration-set-attributes --region ${region} --configuration-set-name ${name} --email-identity YOUR-DOMAIN`
