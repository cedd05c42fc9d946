import type { Audience } from '../../src/domain/audience/audience.ts'
import { badRequest, NOT_YET } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/ids.ts'
import { resolveTopics } from '../../src/core/consent/topic-names.ts'
import type { ContactListQuery } from '../../src/schemas/contacts/contact.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { timeParameter } from '../http/times.ts'

/** Of a list or an export, besides the words that are searched for. */
type Filters = Omit<ContactListQuery, 'page' | 'pageSize' | 'cursor' | 'search'>

/** The contacts that the filters leave; 400 for a time we cannot keep. */
export function filteredAudience(given: Filters): Audience {
  const { topicId, emailStatus, smsStatus, preferredChannel } = given
  const filters = {
    type: 'filters',
    emailStatus,
    smsStatus,
    preferredChannel,
    createdAfter: timeParameter('createdAfter', given.createdAfter),
    updatedAfter: timeParameter('updatedAfter', given.updatedAfter),
  } as const
  return topicId === undefined ? [filters] : [filters, { type: 'topic', topicId }]
}

/** 400 for a topic that does not exist, and for segments. */
export async function requireFilters(
  sql: Sql,
  organizationId: Uuid,
  { topicId, segmentId }: Filters,
): Promise<void> {
  if (segmentId !== undefined) throw refused('segmentId', NOT_YET.message, NOT_YET.reason)
  if (topicId === undefined) return
  const { unknown } = await resolveTopics(sql, organizationId, { topicIds: [topicId] })
  if (unknown.length > 0) throw refused('topicId', 'does not exist')
}

const refused = (path: string, message: string, reason?: string) =>
  badRequest(`The query parameter ${path} ${message}`, [{ path, message }], reason)
