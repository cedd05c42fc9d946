import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { connectAs } from './logins.ts'

export interface TestDatabase {
  /** URL of a superuser. Tested code logs in as the programs do, see support/logins.ts. */
  url: string
  /** Logged in like a worker, so that missing rights are found. */
  sql: Sql
  /** Pool of a superuser, for inspection and repair. */
  admin: Sql
  /** Also ends `sql` and `admin`. */
  drop: () => Promise<void>
}

/** Long, since preparations are slow on a busy machine. Tested code has its own limits. */
const STATEMENT_MS = 240_000

/** A database of the newest schema for one test file, cloned from the migrated template. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // A tenth of the cost of writing it to the log page by page, which is the default.
  await asAdmin(
    (admin) => admin`
      create database ${admin(name)} owner letterloom_owner
      template ${admin(template())} strategy file_copy`,
  )
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  const pool = { name: 'test', statementTimeoutMs: STATEMENT_MS }
  const sql = connectAs(url.href, { ...pool, role: 'letterloom_worker' })
  const admin = connect(url.href, pool)
  return {
    url: url.href,
    sql,
    admin,
    drop: async () => {
      await Promise.all([sql.end(), admin.end()])
      await asAdmin((admin) => admin`drop database ${admin(name)} with (force)`)
    },
  }
}

/** Runs `work` while a table lacks today's partition. */
export async function withoutPartition(
  admin: Sql,
  table: string,
  work: () => Promise<void>,
): Promise<void> {
  const name = `${table}_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`
  const [partition] = await admin<{ bounds: string }[]>`
    select pg_get_expr(relpartbound, oid) as bounds from pg_class where relname = ${name}`
  if (!partition) throw new Error(`${name} is not there`)
  await admin.unsafe(`alter table ${table} detach partition ${name}`)
  try {
    await work()
  } finally {
    await admin.unsafe(`alter table ${table} attach partition ${name} ${partition.bounds}`)
  }
}

const template = (): string => inject('templateDatabase')

async function asAdmin(act: (admin: Sql) => Promise<unknown>): Promise<void> {
  const admin = connect(inject('databaseUrl'), {
    name: 'test-admin',
    max: 1,
    statementTimeoutMs: STATEMENT_MS,
  })
  try {
    await act(admin)
  } finally {
    await admin.end()
  }
}
