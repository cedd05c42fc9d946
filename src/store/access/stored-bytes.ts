import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

/** Bytes that the plan limits. Triggers count them. */
export async function count(sql: Executor, organizationId: Uuid): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(bytes), 0)::bigint as bytes
    from stored_bytes
    where organization_id = ${organizationId}`
  return row?.bytes ?? 0
}

/** Returns whether an organization has stored less than its plan allows. */
export async function hasRoom(sql: Executor, organizationId: Uuid): Promise<boolean> {
  const [row] = await sql<{ hasRoom: boolean }[]>`
    select has_storage_room(${organizationId}) as has_room`
  return row?.hasRoom ?? false
}
