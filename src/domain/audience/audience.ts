/**
 * The one way to describe a set of contacts, for batches, schedules, lists, exports and counts.
 * `src/store/audience/audience.ts` turns it into SQL.
 */
import type { Condition } from './condition.ts'

export const AUDIENCE_TYPES = ['all', 'topic', 'segment', 'contacts'] as const
export type AudienceType = (typeof AUDIENCE_TYPES)[number]

export const SEGMENT_FAILURES = ['segment_not_usable', 'segment_too_slow'] as const
export type SegmentFailure = (typeof SEGMENT_FAILURES)[number]

export type Criterion =
  | { type: 'all' }
  | { type: 'topic'; topicId: string }
  | { type: 'contacts'; contactIds: readonly string[] }
  /** Contacts that meet a checked condition at the time `now` (ISO 8601). */
  | { type: 'condition'; condition: Condition; now: string }
  | { type: 'except'; topicIds: readonly string[]; conditions: readonly Condition[]; now: string }
  | { type: 'mailable' }
  /** All given bounds hold. Times in ISO 8601. */
  | {
      type: 'filters'
      emailStatus?: string | undefined
      smsStatus?: string | undefined
      preferredChannel?: string | undefined
      createdAfter?: string | undefined
      createdUntil?: string | undefined
      updatedAfter?: string | undefined
    }

/**
 * The contacts of an organization that meet every criterion. The list is never empty: `all` stands
 * for everybody.
 */
export type Audience = readonly [Criterion, ...Criterion[]]

const ALL: Criterion = { type: 'all' }
const MAILABLE: Criterion = { type: 'mailable' }
const NOBODY: Criterion = { type: 'contacts', contactIds: [] }

/**
 * Returns the audience of a stored batch. A topic narrows it to its subscribers. `segment` is the
 * condition of its segment, without which nobody is in it. `except` lists the excluded contacts.
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
