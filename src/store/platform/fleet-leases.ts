import type { Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'

interface Lease {
  name: string
  workerId: Uuid
}

export async function take(sql: Sql, { name, workerId }: Lease, holdMs: number): Promise<boolean> {
  const { count } = await sql`
    insert into fleet_leases as held (name, held_by, held_until)
    values (${name}, ${workerId}, clock_timestamp() + ${holdMs} * interval '1 millisecond')
    on conflict (name) do update
    set held_by = excluded.held_by, held_until = excluded.held_until
    where held.held_by = excluded.held_by or held.held_until <= statement_timestamp()`
  return count > 0
}

export const release = (sql: Sql, { name, workerId }: Lease) => sql`
  delete from fleet_leases where name = ${name} and held_by = ${workerId}`
