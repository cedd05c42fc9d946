import { randomUUID } from 'node:crypto'
import { loginUrl, makeLogins } from '../../src/store/db/logins.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect } from '../../src/store/db/sql.ts'

/**
 * A database with the newest schema that test files clone instead of migrating their own. As in
 * production, its owner is not a superuser.
 */
export async function makeTemplate(
  databaseUrl: string,
): Promise<{ name: string; drop: () => Promise<void> }> {
  const name = `template_${randomUUID().replaceAll('-', '')}`
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  const admin = connect(databaseUrl, { name: 'test-template', max: 1 })
  try {
    await admin`create database ${admin(name)}`
    await makeLogins(url.href)
    const sql = connect(loginUrl(url.href, 'letterloom_owner'), { name: 'test-migrate', max: 2 })
    await migrate(sql)
    await sql.end()
    // A database with connections cannot be cloned: nobody is to open one by mistake.
    await admin`alter database ${admin(name)} with allow_connections false`
  } finally {
    await admin.end()
  }
  return { name, drop: () => dropDatabase(databaseUrl, name) }
}

async function dropDatabase(databaseUrl: string, name: string): Promise<void> {
  const admin = connect(databaseUrl, { name: 'test-template', max: 1 })
  await admin`drop database if exists ${admin(name)} with (force)`
  await admin.end()
}
