import type { Engagement } from '../flows/steps/wait-for-email-engagement.ts'
import type { SesEvent } from './ses-event.ts'

/**
 * Returns what an event says that a person did with a mail: the one rule by which automations, A/B
 * tests, contacts' counters and so segments, and `opened` of metrics tell people from machines.
 *
 * Who clicks has the mail open, though no picture may have told of it. A link of ours says nothing:
 * who leaves is not engaged.
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
