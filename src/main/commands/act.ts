import { type Config, readConfig } from '../../config.ts'
import type { Actor } from '../../core/access/audit.ts'
import type { Sql, Transaction } from '../../store/db/sql.ts'
import { type Output, print } from './output.ts'

const LONGEST_STATEMENT_MS = 600_000

export async function act(
  { json }: Output,
  work: (sql: Sql, config: Config) => Promise<object>,
): Promise<void> {
  const config = readConfig()
  const [{ connect }, { required }] = await Promise.all([
    import('../../store/db/sql.ts'),
    import('../programs/required.ts'),
  ])
  const sql = connect(required(config.databaseUrl, 'DATABASE_URL'), {
    name: 'letterloom-operator',
    role: 'letterloom_worker',
    max: 2,
    // A day that is counted again is one transaction, which is limited by this, too.
    statementTimeoutMs: LONGEST_STATEMENT_MS,
  })
  try {
    const answer = await work(sql, config)
    print(answer, json)
  } finally {
    await sql.end()
  }
}

/** Runs a command's change in one transaction, with the operator as its author. */
export const change = (
  options: Output,
  work: (tx: Transaction, actor: Actor, config: Config) => Promise<object>,
): Promise<void> =>
  act(options, async (sql, config) => {
    const [{ transact }, { operator }] = await Promise.all([
      import('../../store/db/sql.ts'),
      import('../../core/access/audit.ts'),
    ])
    return transact(sql, (tx) => work(tx, operator(), config))
  })
