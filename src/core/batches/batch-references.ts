import type { Audience } from '../../domain/audience/audience.ts'
import { badRequest, type ErrorDetail, sentence } from '../../domain/errors.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { BatchInput } from '../../schemas/batches/batch.ts'
import * as audiences from '../../store/audience/audience.ts'
import * as segments from '../../store/audience/segments.ts'
import * as topics from '../../store/consent/topics.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { requireFeature } from '../access/plan.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import type { StoredAudience } from './batch-audience.ts'

const MOST_NAMED = 20

/** Returns the distinct ids in a body, in lower case. They need not exist. */
export function namedAudience(input: BatchInput): StoredAudience {
  const { audienceType, contactIds, topicId, segmentId, exclude = {} } = input
  return {
    audienceType,
    contactIds: contactIds === undefined ? null : idsOf(contactIds),
    topicId: topicId?.toLowerCase() ?? null,
    segmentId: segmentId?.toLowerCase() ?? null,
    excludedTopicIds: idsOf(exclude.topicIds ?? []),
    excludedSegmentIds: idsOf(exclude.segmentIds ?? []),
  }
}

const idsOf = (ids: readonly string[]) => [...new Set(ids.map((id) => id.toLowerCase()))]

/**
 * Throws a 400 for topics, segments and contacts that do not exist, and a 403 for those of another
 * organization. Nobody deletes the topics and segments until the transaction ends.
 */
export async function requireAudience(
  tx: Transaction,
  organizationId: Uuid,
  audience: StoredAudience,
): Promise<void> {
  const { topicId, segmentId, excludedTopicIds, excludedSegmentIds } = audience
  if (segmentId !== null || excludedSegmentIds.length > 0) {
    await requireFeature(tx, organizationId, 'segments')
  }
  const namedTopics = [
    ...(topicId === null ? [] : [{ path: 'topicId', id: topicId }]),
    ...excludedTopicIds.map((id) => ({ path: 'exclude.topicIds', id })),
  ]
  const namedSegments = [
    ...(segmentId === null ? [] : [{ path: 'segmentId', id: segmentId }]),
    ...excludedSegmentIds.map((id) => ({ path: 'exclude.segmentIds', id })),
  ]
  const keptTopics = await topics.keep(tx, organizationId, storable(namedTopics))
  const keptSegments = await segments.keep(tx, organizationId, storable(namedSegments))
  const unknownTopics = namedTopics.filter(({ id }) => !keptTopics.has(id))
  const unknownSegments = namedSegments.filter(({ id }) => !keptSegments.has(id))
  for (const { id } of unknownTopics) await refuseForeign(tx, 'topic', organizationId, id)
  for (const { id } of unknownSegments) await refuseForeign(tx, 'segment', organizationId, id)
  const problems = [
    ...unknownTopics.map((each) => notFound(each, 'topic')),
    ...unknownSegments.map((each) => notFound(each, 'segment')),
  ]
  if (problems.length > 0) throw badRequest(sentence(problems), problems)
  await requireContacts(tx, organizationId, audience.contactIds)
}

interface Reference {
  path: string
  id: string
}

const storable = (references: readonly Reference[]): Uuid[] =>
  references.map(({ id }) => id).filter((id) => isUuid(id))

const notFound = ({ path, id }: Reference, kind: string): ErrorDetail => ({
  path,
  message: path.includes('.') ? `names ${id}, which is not a ${kind}` : `names no ${kind}`,
})

/** Throws a 400 that names some of the contacts that do not exist. */
async function requireContacts(
  tx: Transaction,
  organizationId: Uuid,
  ids: readonly string[] | null,
): Promise<void> {
  if (ids === null) return
  const namedContacts: Audience = [{ type: 'contacts', contactIds: ids.filter(isUuid) }]
  const existing = await audiences.listIds(tx, organizationId, namedContacts, { limit: ids.length })
  const existingIds = new Set(existing.map(({ id }) => id))
  const unknownIds = ids.filter((id) => !existingIds.has(id))
  if (unknownIds.length === 0) return
  const reportedIds = unknownIds.slice(0, MOST_NAMED)
  throw badRequest(
    `contactIds names ${unknownIds.length} unknown contacts: ${reportedIds.join(', ')}`,
    reportedIds.map((id) => ({
      path: 'contactIds',
      message: `names ${id}, which is not a contact`,
    })),
  )
}
