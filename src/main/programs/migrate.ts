import type { Config } from '../../config.ts'
import { migrate } from '../../store/db/migrate.ts'
import { connect } from '../../store/db/sql.ts'
import { required } from './required.ts'

const LONGEST_STATEMENT_MS = 3_600_000

/** Migrates the schema and creates the coming partitions. Returns the names of the migrations. */
export async function runMigrate(config: Config): Promise<string[]> {
  const sql = connect(required(config.databaseUrl, 'DATABASE_URL'), {
    name: 'letterloom-migrate',
    max: 1,
    statementTimeoutMs: LONGEST_STATEMENT_MS,
  })
  try {
    return await migrate(sql)
  } finally {
    await sql.end()
  }
}
