import type { Uuid } from '../../runtime/ids.ts'
import type { BatchStatus } from '../../domain/batches/batch.ts'
import type { Sql } from '../db/sql.ts'

/** A flow or batch, and the organization whose outbox message names it. */
export interface Subject {
  organizationId: Uuid
  id: Uuid
}

/** Those of the pairs that exist, each in its own organization. */
const among = (sql: Sql, subjects: readonly Subject[]) => sql`
  (organization_id, id) in (
    select *
    from unnest(
      ${subjects.map(({ organizationId }) => organizationId)}::uuid[],
      ${subjects.map(({ id }) => id)}::uuid[]
    )
  )`

/** What operators see of a flow whose execution is started. */
export const listFlows = (sql: Sql, subjects: readonly Subject[]) => sql<
  { id: Uuid; name: string }[]
>`
  select id, name
  from flows
  where ${among(sql, subjects)}`

/** What operators see of a batch that is started; a batch may have no name. */
export const listBatches = (sql: Sql, subjects: readonly Subject[]) => sql<
  { id: Uuid; name: string | null; status: BatchStatus }[]
>`
  select id, name, status
  from batches
  where ${among(sql, subjects)}`
