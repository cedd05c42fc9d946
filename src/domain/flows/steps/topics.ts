import type { StepRules } from './rules.ts'

type Rules = StepRules<{ topicId: string }> & { topic: 'needed' }

const rules: Rules = {
  topic: 'needed',
  writes: () => ['topics', 'updatedAt'],
  gist: ({ topicId }) => topicId,
}

export const subscribeTopic: Rules = { ...rules, fires: 'topic_subscribed' }
export const unsubscribeTopic: Rules = { ...rules, fires: 'topic_unsubscribed' }
