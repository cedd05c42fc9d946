/**
 * Logins for development and tests. They equal those of production, so that what production refuses
 * is refused here, too.
 */
import { createHmac } from 'node:crypto'
import { makeRoles } from './roles.ts'
import { connect, type Sql } from './sql.ts'

export type Login = 'letterloom_owner' | 'letterloom_api' | 'letterloom_worker'

/**
 * URL of the database for a login. Its password is derived from the one in `adminUrl`, so that
 * every process of the system knows it.
 */
export function loginUrl(adminUrl: string, login: Login): string {
  const url = new URL(adminUrl)
  url.username = login
  url.password = passwordOf(adminUrl, login)
  return url.href
}

function passwordOf(adminUrl: string, login: Login): string {
  const password = decodeURIComponent(new URL(adminUrl).password)
  if (password === '')
    throw new Error('DATABASE_URL must contain a password, from which others are derived')
  return createHmac('sha256', password).update(login).digest('base64url')
}

/**
 * Creates the roles and logins on the server of `adminUrl`, the URL of a superuser, and gives its
 * database to `letterloom_owner`.
 */
export async function makeLogins(adminUrl: string): Promise<void> {
  const admin = connect(adminUrl, { name: 'letterloom-logins', max: 2 })
  try {
    // Set once, since two systems on one server would change them at the same moment.
    const passwords = (await canLogIn(adminUrl))
      ? {}
      : {
          owner_password: passwordOf(adminUrl, 'letterloom_owner'),
          api_password: passwordOf(adminUrl, 'letterloom_api'),
          worker_password: passwordOf(adminUrl, 'letterloom_worker'),
        }
    await admin.begin((tx) => makeRoles(tx, { owner: 'letterloom_owner', ...passwords }))
    await giveToOwner(admin)
  } finally {
    await admin.end()
  }
}

async function canLogIn(adminUrl: string): Promise<boolean> {
  const sql = connect(loginUrl(adminUrl, 'letterloom_worker'), {
    name: 'letterloom-logins',
    max: 1,
  })
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await sql.end()
  }
}

/** Earlier versions migrated as the superuser, who still owns their objects. */
async function giveToOwner(admin: Sql): Promise<void> {
  const changes = await admin<{ statement: string }[]>`
    with ours as (
      select oid from pg_namespace where nspname in ('public', 'sandbox')
    ), me as (
      select oid from pg_roles where rolname = current_user
    )
    select format('alter database %I owner to letterloom_owner', current_database()) as statement
    from pg_database, me
    where datname = current_database() and datdba = me.oid
    union all
    select format('alter schema %I owner to letterloom_owner', nspname)
    from pg_namespace, me
    where nspname = 'sandbox' and nspowner = me.oid
    union all
    select format('alter table %s owner to letterloom_owner', c.oid::regclass)
    from pg_class c, me
    where relnamespace in (select oid from ours) and relowner = me.oid
      and (relkind in ('r', 'p') or relkind = 'S' and not exists (
        select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i')))
    union all
    select format('alter function %s owner to letterloom_owner', p.oid::regprocedure)
    from pg_proc p, me
    where pronamespace in (select oid from ours) and proowner = me.oid
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`
  for (const { statement } of changes) await admin.unsafe(statement)
}
