import { connect, type Sql } from '../../src/store/db/sql.ts'

export interface Backup {
  /** Restores the copy. Everybody who is connected loses the connection. */
  restore(): Promise<void>
}

/** Copies a database. Nobody who reconnects may be connected. */
export async function backUp(databaseUrl: string): Promise<Backup> {
  const url = new URL(databaseUrl)
  const name = url.pathname.slice(1)
  const copy = `${name}_backup`
  url.pathname = '/postgres'
  const asAdmin = async (act: (admin: Sql) => Promise<unknown>): Promise<void> => {
    const admin = connect(url.href, { name: 'backup', max: 1, statementTimeoutMs: 120_000 })
    try {
      await act(admin)
    } finally {
      await admin.end()
    }
  }
  /** Disconnects everybody while `act` works on the database. */
  const alone = (act: (admin: Sql) => Promise<unknown>) =>
    asAdmin(async (admin) => {
      await admin`alter database ${admin(name)} allow_connections false`
      await admin`
        select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = ${name}`
      await act(admin)
    })
  await alone(async (admin) => {
    await admin`
      create database ${admin(copy)} owner letterloom_owner
      template ${admin(name)} strategy file_copy`
    await admin`alter database ${admin(name)} allow_connections true`
  })
  return {
    restore: () =>
      alone(async (admin) => {
        await admin`drop database ${admin(name)}`
        await admin`alter database ${admin(copy)} rename to ${admin(name)}`
      }),
  }
}
