import type { Executor } from '../db/sql.ts'

export async function readClock(sql: Executor): Promise<number> {
  const [row] = await sql<{ now: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
  if (!row) throw new Error('a clock answered nothing')
  return row.now
}
