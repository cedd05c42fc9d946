import type { MailFacts } from '../../domain/delivery/delivery.ts'
import type { Engagement } from '../../domain/flows/steps/wait-for-email-engagement.ts'
import { engagementsOf } from '../../domain/delivery/engagement.ts'
import type { StatsDelta } from '../../store/delivery/delivery-counters.ts'
import type { MatchedEvent } from './match-untagged.ts'

/**
 * Only tagged events tell whether silence about another mail says anything: that one's events are
 * found by their tag, while its message id may not be known.
 */
export const earliestTagged = (events: readonly MatchedEvent[]): string | null =>
  events
    .flatMap(({ event, inbound }) => (event.isUntagged ? [] : [inbound.receivedAt]))
    .toSorted()
    .at(0) ?? null

export type Times = Pick<StatsDelta, 'sentAt' | 'openedAt' | 'clickedAt'>

/**
 * The last of what events tell of a mail, whether it moves a figure or not: the last of all of them
 * is the same in any order. When a call was answered, its mail's time is known by that.
 */
export function timesOf({ claimedAt }: MailFacts, events: readonly MatchedEvent[]): Times {
  const last = (times: string[]): string | null => times.toSorted().at(-1) ?? null
  const lastOf = (engagement: Engagement) =>
    last(
      events.flatMap(({ event }) =>
        engagementsOf(event).some((each) => each === engagement) ? [event.occurredAt] : [],
      ),
    )
  return {
    sentAt: claimedAt === null ? last(events.map(({ event }) => event.mailTimestamp)) : null,
    openedAt: lastOf('opened'),
    clickedAt: lastOf('clicked'),
  }
}
