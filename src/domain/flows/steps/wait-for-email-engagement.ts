import { checkDuration, type Duration, span } from '../duration.ts'
import { checkNames, type StepRules } from './rules.ts'

export const ENGAGEMENTS = ['opened', 'clicked', 'bounced'] as const
export type Engagement = (typeof ENGAGEMENTS)[number]

export interface Config {
  stepId: string
  events: Engagement[]
  timeout: Duration
}

export const waitForEmailEngagement: StepRules<Config> = {
  check: ({ events, timeout }, path) => [
    ...checkNames(events, (index) => `${path}.events[${index}]`),
    ...checkDuration(timeout, `${path}.timeout`),
  ],
  awaitsMailOf: ({ stepId }) => stepId,
  branches: ({ events }) => [...events, 'timeout'],
  // An engagement that came once is found again at once. Without a mail the first visit does not
  // pause, and all later ones do.
  pauses: (branch) => branch === 'timeout',
  shape: 'wait',
  gist: ({ stepId, events, timeout }) =>
    `${events.join(' or ')} of ${stepId}, at most ${span(timeout)}`,
}
