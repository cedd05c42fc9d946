import { addressed } from '../../../src/keys/addresses.ts'
import * as subscriptions from '../../../src/core/consent/subscriptions.ts'
import type { Keyring } from '../../../src/keys/tokens.ts'
import type { StoredStep } from './step.ts'

const TOPIC_DELETED = { kind: 'skipped', reason: 'topic_deleted' } as const
const REASONS = {
  /** The person unsubscribed, and no tool may resubscribe them. */
  kept: 'left_before',
  /** A confirmation is required and cannot be mailed: no address, or too many requests. */
  limited: 'not_asked',
  none: 'subscribed_already',
} as const

interface TopicDeps {
  keyring: Keyring
}

/**
 * Subscribes the contact. A topic with double opt-in asks for a confirmation first, and the
 * execution goes on meanwhile. A contact that unsubscribed stays unsubscribed.
 */
export const createSubscribeTopic = ({ keyring }: TopicDeps): StoredStep<'subscribe_topic'> => ({
  where: 'local',
  locksContact: true,
  enter: async (tx, { execution: { organizationId, contactId }, step }) => {
    const pairs = [{ contactId, topicId: step.config.topicId }]
    const [outcome] = await subscriptions.subscribe(tx, organizationId, pairs, {
      source: 'workflow',
      addressOf: (email) => addressed(keyring, organizationId, email),
    })
    if (!outcome) return TOPIC_DELETED
    const { step: change, status } = outcome
    const result = { status }
    if (change === 'subscribe' || change === 'ask') return { kind: 'done', result }
    return { kind: 'skipped', reason: REASONS[change], result }
  },
})

export const unsubscribeTopic: StoredStep<'unsubscribe_topic'> = {
  where: 'local',
  locksContact: true,
  enter: async (tx, { execution: { organizationId, contactId }, step }) => {
    const pairs = [{ contactId, topicId: step.config.topicId }]
    const unsubscribed = await subscriptions.unsubscribe(tx, organizationId, pairs, {
      source: 'workflow',
      own: false,
    })
    return unsubscribed.length > 0
      ? { kind: 'done' }
      : { kind: 'skipped', reason: 'not_subscribed' }
  },
}
