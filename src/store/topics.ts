import { isUuid, type Uuid } from '../ids.ts'
import type { Executor } from './sql.ts'

export interface TopicNames {
  topicIds?: readonly string[] | undefined
  topicSlugs?: readonly string[] | undefined
}

/** Topics named by ids and slugs, and the names that none of them has. */
export interface Named {
  ids: Uuid[]
  /** As they were given: `topicIds.3` of the request is the fourth id. */
  unknown: { field: 'topicIds' | 'topicSlugs'; index: number; value: string }[]
}

/** Finds the topics of the organization that ids and slugs name, each once. */
export async function resolve(
  sql: Executor,
  organizationId: Uuid,
  { topicIds = [], topicSlugs = [] }: TopicNames,
): Promise<Named> {
  if (topicIds.length + topicSlugs.length === 0) return { ids: [], unknown: [] }
  const rows = await sql<{ id: Uuid; slug: string }[]>`
    select id, slug
    from topics
    where organization_id = ${organizationId}
      and (id = any(${topicIds.filter(isUuid)}::uuid[])
        or slug = any(${[...topicSlugs]}::text[]))`
  const known = new Map(rows.flatMap(({ id, slug }) => [[id, id] as const, [slug, id] as const]))
  const named: Named = { ids: [], unknown: [] }
  const ids = new Set<Uuid>()
  const take = (field: 'topicIds' | 'topicSlugs', value: string, index: number): void => {
    const id = known.get(field === 'topicIds' ? value.toLowerCase() : value)
    if (id === undefined) named.unknown.push({ field, index, value })
    else ids.add(id)
  }
  topicIds.forEach((value, index) => take('topicIds', value, index))
  topicSlugs.forEach((value, index) => take('topicSlugs', value, index))
  return { ...named, ids: [...ids] }
}
