import {
  type Audience,
  type AudienceType,
  batchAudience,
  type Criterion,
} from '../../domain/audience/audience.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import * as audiences from '../../store/audience/audience.ts'
import * as topics from '../../store/consent/topics.ts'
import type { Executor, Sql } from '../../store/db/sql.ts'
import { countAudience } from '../audience/members.ts'
import { segmentConditions } from '../audience/segment-audience.ts'

export interface StoredAudience {
  audienceType: AudienceType
  contactIds: readonly Uuid[] | null
  topicId: Uuid | null
  segmentId: Uuid | null
  excludedTopicIds: readonly Uuid[]
  excludedSegmentIds: readonly Uuid[]
}

export type Resolved =
  | { audience: Audience }
  /** The audience or its exclusions cannot be determined: the batch must not be sent at all. */
  | { unusable: 'segment_not_usable' | 'topic_deleted' }

/** `now` is in ISO 8601. */
export async function resolveAudience(
  sql: Executor,
  organizationId: Uuid,
  batch: StoredAudience,
  now: string,
): Promise<Resolved> {
  const { segmentId, excludedTopicIds: topicIds, excludedSegmentIds } = batch
  const existingTopics = await topics.identify(sql, organizationId, { topicIds })
  if (topicIds.some((id) => !existingTopics.has(id))) return { unusable: 'topic_deleted' }
  const segmentIds = segmentId === null ? [] : [segmentId]
  const allConditions = await segmentConditions(sql, organizationId, [
    ...segmentIds,
    ...excludedSegmentIds,
  ])
  if (!allConditions) return { unusable: 'segment_not_usable' }
  const [condition] = allConditions
  const conditions = allConditions.slice(segmentIds.length)
  const segment: Criterion | undefined =
    segmentId === null || !condition ? undefined : { type: 'condition', condition, now }
  const except: Criterion | undefined =
    topicIds.length + conditions.length === 0
      ? undefined
      : { type: 'except', topicIds, conditions, now }
  return { audience: batchAudience({ ...batch, segment, except }) }
}

/** Returns whether segments must be evaluated, which may take long. */
export const asksConditions = (
  batch: Pick<StoredAudience, 'audienceType' | 'excludedSegmentIds'>,
): boolean => batch.audienceType === 'segment' || batch.excludedSegmentIds.length > 0

/** Limit of a count without segments. Above it the audience is estimated. */
const MOST_ESTIMATED = 10_001

/**
 * Estimates the number of contacts to whom a batch would be sent now. Runs outside of transactions,
 * since it may take as long as a search. 0: that was not enough time, or the audience is unusable.
 */
export async function estimateAudience(
  { sql, searchSql }: { sql: Sql; searchSql: Sql },
  organizationId: Uuid,
  batch: StoredAudience,
  now: string,
): Promise<number> {
  if (!namedIds(batch).every(isUuid)) return 0
  const resolved = await resolveAudience(sql, organizationId, batch, now)
  if ('unusable' in resolved) return 0
  const { audience } = resolved
  if (!asksConditions(batch)) return audiences.count(sql, organizationId, audience, MOST_ESTIMATED)
  return (await countAudience(searchSql, organizationId, audience))?.count ?? 0
}

const namedIds = (batch: StoredAudience) => [
  ...[batch.topicId, batch.segmentId].flatMap((id) => id ?? []),
  ...(batch.contactIds ?? []),
  ...batch.excludedTopicIds,
  ...batch.excludedSegmentIds,
]
