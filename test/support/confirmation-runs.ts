import { createConfirmationActivities } from '../../activities/consent/confirmations.ts'
import { connect } from '../../src/store/db/sql.ts'
import type { Keyring } from '../../src/tokens.ts'
import { createDatabase } from './database.ts'
import { timeSkipping } from './temporal.ts'

export type ConfirmationRuns = Awaited<ReturnType<typeof openConfirmationRuns>>

/** What runs of confirmations need while days pass: a database, a clock, and the activities. */
export async function openConfirmationRuns(keyring: Keyring) {
  const [database, time] = await Promise.all([createDatabase(), timeSkipping()])
  const workerSql = connect(database.url, { name: 'confirmations', role: 'letterloom_worker' })
  const activities = createConfirmationActivities({
    sql: workerSql,
    content: { keyring, publicUrl: 'https://mail.example.com' },
  })
  return {
    database,
    time,
    workerSql,
    activities,
    close: async (): Promise<void> => {
      await time.close()
      await workerSql.end()
      await database.drop()
    },
  }
}
