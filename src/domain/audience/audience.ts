/**
 * The one way to say which contacts are meant: by batches, schedules, lists, exports and counts.
 * `src/store/audience/audience.ts` makes SQL of it.
 */
import type { Condition } from './condition.ts'

export const AUDIENCE_TYPES = ['all', 'topic', 'segment', 'contacts'] as const
export type AudienceType = (typeof AUDIENCE_TYPES)[number]

/** Why nobody can say who is in a segment. */
export const SEGMENT_FAILURES = ['segment_not_usable', 'segment_too_slow'] as const
export type SegmentFailure = (typeof SEGMENT_FAILURES)[number]

/** A rule that a contact meets or does not meet. */
export type Criterion =
  | { type: 'all' }
  /** Its subscribers, those included who cannot be mailed. */
  | { type: 'topic'; topicId: string }
  | { type: 'contacts'; contactIds: readonly string[] }
  /** Of which a checked condition holds at the time `now`, in ISO 8601. */
  | { type: 'condition'; condition: Condition; now: string }
  /** Neither subscribers of any of these topics, nor those of whom any of the conditions holds. */
  | { type: 'except'; topicIds: readonly string[]; conditions: readonly Condition[]; now: string }
  /** Marketing mail may go to them. */
  | { type: 'mailable' }
  /** All that is given holds. Times in ISO 8601. */
  | {
      type: 'filters'
      emailStatus?: string | undefined
      smsStatus?: string | undefined
      preferredChannel?: string | undefined
      createdAfter?: string | undefined
      /** That very moment included. */
      createdUntil?: string | undefined
      updatedAfter?: string | undefined
    }

/**
 * The contacts of an organization that meet each of these criteria. Never an empty list: what means
 * everybody says `all`.
 */
export type Audience = readonly [Criterion, ...Criterion[]]

const ALL: Criterion = { type: 'all' }
const MAILABLE: Criterion = { type: 'mailable' }
const NOBODY: Criterion = { type: 'contacts', contactIds: [] }

/**
 * The audience of a batch, as it is stored. A topic narrows any of them to its subscribers.
 * `segment`: whom its segment means; without one, nobody. `except`: whom it leaves out.
 */
export function batchAudience(batch: {
  audienceType: AudienceType
  topicId: string | null
  contactIds: readonly string[] | null
  segment: Criterion | undefined
  except: Criterion | undefined
}): Audience {
  const { audienceType, topicId, contactIds, segment, except = ALL } = batch
  const topic: Criterion | undefined = topicId === null ? undefined : { type: 'topic', topicId }
  switch (audienceType) {
    case 'all':
      return [MAILABLE, except, topic ?? ALL]
    case 'topic':
      return [MAILABLE, except, topic ?? NOBODY]
    case 'contacts':
      return [MAILABLE, except, topic ?? ALL, { type: 'contacts', contactIds: contactIds ?? [] }]
    case 'segment':
      return [MAILABLE, except, topic ?? ALL, segment ?? NOBODY]
  }
}
