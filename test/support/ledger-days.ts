import { createPartitions } from '../../src/store/db/partitions.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import { connectAs } from './logins.ts'

const DAY_MS = 86_400_000
const DAYS = 90
/** Each call also creates partitions of some coming days. */
const STEP = 8

export interface LedgerDays {
  database: TestDatabase
  /** Records its queries. */
  sql: Sql
  asked: { query: string; parameters: unknown[] }[]
  close: () => Promise<void>
}

/** A database whose ledger has the partitions of ninety days, for tests of what statements read. */
export async function openLedgerDays(name: string): Promise<LedgerDays> {
  const database = await createDatabase()
  const askedQueries: LedgerDays['asked'] = []
  const sql = connectAs(database.url, {
    name,
    role: 'letterloom_worker',
    onQuery: (query, parameters) => askedQueries.push({ query, parameters }),
  })
  for (let day = 0; day < DAYS; day += STEP) {
    await createPartitions(database.sql, Date.now() - day * DAY_MS)
  }
  return {
    database,
    sql,
    asked: askedQueries,
    close: async () => {
      await sql.end()
      await database.drop()
    },
  }
}
