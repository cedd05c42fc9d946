import { expect } from 'vitest'
import { within } from '../../src/store/db/sql.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { type Api, startApi } from './api.ts'

export interface Node {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

interface AskedQuery {
  query: string
  parameters: unknown[]
  /** Asked by the pool of searches. */
  isSearch: boolean
}

class RollBack extends Error {}

/** An API whose statements are explained. */
export interface PlannedApi {
  api: Api
  /**
   * Runs `act` for an organization, expects its status, and returns the rows that its widest
   * statement read, by the plan under the API's own role.
   */
  rowsRead: (
    organizationId: Uuid,
    act: () => Promise<{ status: number }>,
    status: number,
    about?: RegExp,
  ) => Promise<number>
}

export async function startPlannedApi(): Promise<PlannedApi> {
  let askedQueries: AskedQuery[] = []
  const note = (isSearch: boolean) => (query: string, parameters: unknown[]) =>
    void askedQueries.push({ query, parameters: [...parameters], isSearch })
  const api = await startApi({}, { onQuery: note(false), onSearch: note(true) })
  return {
    api,
    rowsRead: async (organizationId, act, status, about = /\bcontacts\b/) => {
      askedQueries = []
      expect((await act()).status).toBe(status)
      const statements = askedQueries.filter(({ query }) => about.test(query))
      expect(statements.length).toBeGreaterThan(0)
      let most = 0
      for (const { query, parameters, isSearch } of statements) {
        const pool = isSearch ? api.deps.searchSql : within(api.deps.sql, organizationId)
        await pool
          .begin(async (tx) => {
            const [row] = await tx.unsafe(
              `explain (analyze, timing off, format json) ${query}`,
              parameters as never[],
            )
            const [explained] = Object.values(row ?? {})[0] as [{ Plan: Node }]
            most = Math.max(most, widest(explained.Plan))
            throw new RollBack()
          })
          .catch((error: unknown) => {
            if (!(error instanceof RollBack)) throw error
          })
      }
      return most
    },
  }
}

export const widest = (node: Node): number => {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = (node['Actual Rows'] + removed) * node['Actual Loops']
  return Math.max(own, ...(node.Plans ?? []).map(widest))
}
