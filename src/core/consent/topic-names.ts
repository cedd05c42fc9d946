import type { Uuid } from '../../runtime/ids.ts'
import * as topics from '../../store/consent/topics.ts'
import type { TopicNames } from '../../store/consent/topics.ts'
import type { Executor } from '../../store/db/sql.ts'

export interface UnknownTopic {
  field: 'topicIds' | 'topicSlugs'
  index: number
  value: string
}

export async function resolveTopics(
  sql: Executor,
  organizationId: Uuid,
  names: TopicNames,
): Promise<{ ids: Uuid[]; unknown: UnknownTopic[] }> {
  const { topicIds = [], topicSlugs = [] } = names
  const idsByName = await topics.identify(sql, organizationId, names)
  const unknown: UnknownTopic[] = []
  const ids = new Set<Uuid>()
  const add = (field: UnknownTopic['field'], value: string, index: number): void => {
    const id = idsByName.get(field === 'topicIds' ? value.toLowerCase() : value)
    if (id === undefined) unknown.push({ field, index, value })
    else ids.add(id)
  }
  topicIds.forEach((value, index) => add('topicIds', value, index))
  topicSlugs.forEach((value, index) => add('topicSlugs', value, index))
  return { ids: [...ids], unknown }
}
