import type { Definition } from '../../domain/flows/flow.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

/** Characters of JSON that a process caches. One definition may have a million. */
const MOST_CHARACTERS = 16_000_000

export interface DefinitionCache {
  /** Undefined: the organization has no such version. */
  load: (
    sql: Executor,
    organizationId: Uuid,
    flowId: Uuid,
    version: number,
  ) => Promise<Definition | undefined>
}

/**
 * Caches versions of flows in this process. A version never changes. The least recently used one is
 * dropped first.
 */
export function createDefinitionCache(mostCharacters = MOST_CHARACTERS): DefinitionCache {
  const cachedDefinitions = new Map<string, { definition: Definition; characters: number }>()
  let characters = 0

  function keep(key: string, definition: Definition): void {
    const size = JSON.stringify(definition).length
    // Two that read it at the same time count it once.
    characters += size - (cachedDefinitions.get(key)?.characters ?? 0)
    cachedDefinitions.set(key, { definition, characters: size })
    for (const [oldest, { characters: freed }] of cachedDefinitions) {
      if (characters <= mostCharacters) return
      cachedDefinitions.delete(oldest)
      characters -= freed
    }
  }

  return {
    load: async (sql, organizationId, flowId, version) => {
      const key = `${organizationId}/${flowId}/${version}`
      const cached = cachedDefinitions.get(key)
      if (cached) {
        // It moves to the end: a map keeps the order of insertion.
        cachedDefinitions.delete(key)
        cachedDefinitions.set(key, cached)
        return cached.definition
      }
      const [row] = await sql<{ definition: Definition }[]>`
        select definition
        from flow_versions
        where organization_id = ${organizationId} and flow_id = ${flowId} and version = ${version}`
      if (row) keep(key, row.definition)
      return row?.definition
    },
  }
}
