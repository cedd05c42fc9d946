import type { MailFacts } from '../../domain/delivery/delivery.ts'
import type { Engagement } from '../../domain/flows/steps/wait-for-email-engagement.ts'
import { engagementsOf } from '../../domain/delivery/engagement.ts'
import type { StatsDelta } from '../../store/delivery/delivery-counters.ts'
import type { MatchedEvent } from './match-untagged.ts'

/**
 * Returns the time of the first tagged event. Silence about another mail is judged by tagged events
 * only: that mail's events are found by their tag, while its message id may be unknown.
 */
export const earliestTagged = (events: readonly MatchedEvent[]): string | null =>
  events
    .flatMap(({ event, inbound }) => (event.isUntagged ? [] : [inbound.receivedAt]))
    .toSorted()
    .at(0) ?? null

export type Times = Pick<StatsDelta, 'sentAt' | 'openedAt' | 'clickedAt'>

/**
 * Returns the latest times in a mail's events, even if they change no figure: the latest is the
 * same in any order of events. The time of sending is null if the call was answered, which tells
 * it.
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
