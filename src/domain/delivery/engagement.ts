import type { Engagement } from '../flows/steps/wait-for-email-engagement.ts'
import type { SesEvent } from './ses-event.ts'

/**
 * Returns a person's engagements in an event. Flows, A/B tests, contacts' counters (and so
 * segments) and `opened` of metrics all use this rule to tell people from machines.
 *
 * A click is an open too, even if no picture was loaded. A click on a link of ours is no
 * engagement: it may be an unsubscribe.
 */
export function engagementsOf({
  kind,
  isMachine,
  isOwnLink,
}: SesEvent): Exclude<Engagement, 'bounced'>[] {
  if (isMachine || isOwnLink) return []
  if (kind === 'open') return ['opened']
  return kind === 'click' ? ['clicked', 'opened'] : []
}
