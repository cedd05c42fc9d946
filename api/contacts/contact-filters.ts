import type { Audience } from '../../src/domain/audience/audience.ts'
import { badRequest } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { requireFeature } from '../../src/core/access/plan.ts'
import { requireSegmentAudience } from '../../src/core/audience/segment-audience.ts'
import { resolveTopics } from '../../src/core/consent/topic-names.ts'
import type { ContactListQuery } from '../../src/schemas/contacts/contact.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { timeParameter } from '../http/times.ts'

type Filters = Omit<ContactListQuery, 'page' | 'pageSize' | 'cursor' | 'search'>

/**
 * Returns the contacts that match the filters. Throws a 400 for times outside of the years 1970 to
 * 9999.
 */
function filteredAudience(query: Filters): Audience {
  const { topicId, emailStatus, smsStatus, preferredChannel } = query
  const filters = {
    type: 'filters',
    emailStatus,
    smsStatus,
    preferredChannel,
    createdAfter: timeParameter('createdAfter', query.createdAfter),
    updatedAfter: timeParameter('updatedAfter', query.updatedAfter),
  } as const
  return topicId === undefined ? [filters] : [filters, { type: 'topic', topicId }]
}

/**
 * Returns the contacts that match the filters, including the members of a segment at the time
 * `now`. Throws 402 for a segment on a plan without segments, 400 for unknown or failing segments,
 * and 403 for another organization's segment.
 */
export async function requireAudience(
  sql: Sql,
  organizationId: Uuid,
  filters: Filters,
  now: number,
): Promise<Audience> {
  const { topicId, segmentId } = filters
  const audience = filteredAudience(filters)
  if (topicId !== undefined) {
    const { unknown } = await resolveTopics(sql, organizationId, { topicIds: [topicId] })
    if (unknown.length > 0) throw refused('topicId', 'does not exist')
  }
  if (segmentId === undefined) return audience
  await requireFeature(sql, organizationId, 'segments')
  const at = new Date(now).toISOString()
  return [...audience, await requireSegmentAudience(sql, organizationId, segmentId, at)]
}

const refused = (path: string, message: string) =>
  badRequest(`The query parameter ${path} ${message}`, [{ path, message }])
