import type { Executor } from './sql.ts'

/** From version 16 on, Postgres tells membership from inherited rights. */
const MAY_SET_SINCE = 160_000

/** Returns sentences about the rights that the login of `sql`, in its role, lacks. */
export async function listLoginLacks(sql: Executor): Promise<string[]> {
  const [row] = await sql<{ login: string; role: string; maySearch: boolean; reads: boolean }[]>`
    select session_user as login, current_user as role,
      pg_has_role(session_user, 'letterloom_search',
        case when current_setting('server_version_num')::integer < ${MAY_SET_SINCE}
          then 'member' else 'set' end) as may_search,
      pg_has_role(current_user, 'letterloom_search', 'usage') as reads`
  if (!row) return []
  const { login, role, maySearch, reads } = row
  return [
    ...(maySearch
      ? []
      : [
          `The login ${login} may not take on the role letterloom_search: run migrations/roles.sql`,
        ]),
    ...(reads
      ? [`${role} inherits letterloom_search, so no policy binds it: run migrations/roles.sql`]
      : []),
  ]
}
