import type { Uuid } from '../../runtime/ids.ts'
import type { BatchStatus } from '../../domain/batches/batch.ts'
import type { Sql } from '../db/sql.ts'

export interface Subject {
  organizationId: Uuid
  id: Uuid
}

const among = (sql: Sql, subjects: readonly Subject[]) => sql`
  (organization_id, id) in (
    select *
    from unnest(
      ${subjects.map(({ organizationId }) => organizationId)}::uuid[],
      ${subjects.map(({ id }) => id)}::uuid[]
    )
  )`

/** Names and states of flows whose executions start, for operators. */
export const listFlows = (sql: Sql, subjects: readonly Subject[]) => sql<
  { id: Uuid; name: string }[]
>`
  select id, name
  from flows
  where ${among(sql, subjects)}`

/** Names and states of batches that start, for operators. A batch may have no name. */
export const listBatches = (sql: Sql, subjects: readonly Subject[]) => sql<
  { id: Uuid; name: string | null; status: BatchStatus }[]
>`
  select id, name, status
  from batches
  where ${among(sql, subjects)}`
