import type { Executor } from '../db/sql.ts'

const KEPT = '1 day'
const MOST_DELETED = 1_000

/** Runs as letterloom_worker. Deletes a bounded number of expired failures. Returns it. */
export async function deleteOldFailures(sql: Executor): Promise<number> {
  const { count } = await sql`
    delete from login_failures
    where last_failed_at < now() - ${KEPT}::interval
      and account in (
        select account
        from login_failures
        order by last_failed_at
        limit ${MOST_DELETED})`
  return count
}
