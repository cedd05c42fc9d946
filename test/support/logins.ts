import { loginUrl } from '../../src/store/db/logins.ts'
import { connect, type Pool, type Sql } from '../../src/store/db/sql.ts'

/**
 * A pool with the login of production's programs, so that what production refuses is refused here.
 * `adminUrl` is that of a test's database. Searches use the API's login.
 */
export function connectAs(adminUrl: string, pool: Pool & { role: NonNullable<Pool['role']> }): Sql {
  const login = pool.role === 'letterloom_worker' ? 'letterloom_worker' : 'letterloom_api'
  return connect(loginUrl(adminUrl, login), pool)
}
