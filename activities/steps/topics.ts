import { addressed } from '../../src/addresses.ts'
import * as subscriptions from '../../src/store/subscriptions.ts'
import type { Keyring } from '../../src/tokens.ts'
import type { StoredStep } from './step.ts'

const TOPIC_DELETED = { kind: 'skipped', reason: 'topic_deleted' } as const
/** What keeps a person from being subscribed, in the words of the API. */
const REASONS = {
  /** They left by themselves: no tool takes them back. */
  kept: 'left_before',
  /** A confirmation is needed, and may not be mailed: no address, or asked too often. */
  limited: 'not_asked',
  none: 'subscribed_already',
} as const

interface TopicDeps {
  keyring: Keyring
}

/**
 * Subscribes the contact. A topic with double opt-in asks them first, and the execution goes on
 * meanwhile. It is no person's own wish: who left by themselves stays away.
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
    const { step: taken, status } = outcome
    const result = { status }
    if (taken === 'subscribe' || taken === 'ask') return { kind: 'done', result }
    return { kind: 'skipped', reason: REASONS[taken], result }
  },
})

/** Ends the subscription. When it is the topic that started the execution, that ends as well. */
export const unsubscribeTopic: StoredStep<'unsubscribe_topic'> = {
  where: 'local',
  locksContact: true,
  enter: async (tx, { execution: { organizationId, contactId }, step }) => {
    const pairs = [{ contactId, topicId: step.config.topicId }]
    const left = await subscriptions.unsubscribe(tx, organizationId, pairs, {
      source: 'workflow',
      own: false,
    })
    return left.length > 0 ? { kind: 'done' } : { kind: 'skipped', reason: 'not_subscribed' }
  },
}
