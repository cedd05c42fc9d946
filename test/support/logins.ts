import { loginUrl } from '../../src/store/db/logins.ts'
import { connect, type Pool, type Sql } from '../../src/store/db/sql.ts'

/**
 * A pool as the programs open it: logged in as production's programs are, so that what production
 * refuses is refused here. `adminUrl`: of a test's database. Searches are the API's.
 */
export function connectAs(adminUrl: string, pool: Pool & { role: NonNullable<Pool['role']> }): Sql {
  const login = pool.role === 'letterloom_worker' ? 'letterloom_worker' : 'letterloom_api'
  return connect(loginUrl(adminUrl, login), pool)
}
