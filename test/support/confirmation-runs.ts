import { Worker } from '@temporalio/worker'
import { inject } from 'vitest'
import { createConfirmationActivities } from '../../activities/consent/confirmations.ts'
import type { Keyring } from '../../src/keys/tokens.ts'
import { createDatabase } from './database.ts'
import { timeSkipping } from './temporal.ts'
import { connectAs } from './logins.ts'

export type ConfirmationRuns = Awaited<ReturnType<typeof openConfirmationRuns>>
type Activities = ReturnType<typeof createConfirmationActivities>

/** A database, a clock and a worker for confirmations whose days are skipped. */
export async function openConfirmationRuns(keyring: Keyring) {
  const [database, time] = await Promise.all([createDatabase(), timeSkipping()])
  const workerSql = connectAs(database.url, { name: 'confirmations', role: 'letterloom_worker' })
  const activities = createConfirmationActivities({
    sql: workerSql,
    content: { keyring, publicUrl: 'https://mail.example.com' },
  })
  const changeable = changeableOf(activities)
  const { taskQueue } = time
  const worker = await Worker.create({
    connection: time.native,
    taskQueue,
    workflowBundle: { codePath: inject('workflowBundle') },
    activities: changeable.activities,
  })
  const running = worker.run()
  return {
    database,
    time,
    workerSql,
    activities,
    taskQueue,
    during: changeable.during,
    close: async (): Promise<void> => {
      worker.shutdown()
      await running
      await time.close()
      await workerSql.end()
      await database.drop()
    },
  }
}

/** Activities that a test may replace, since a worker for each test takes a second. */
function changeableOf(activities: Activities) {
  let present = activities
  const inFlight = new Set<Promise<unknown>>()
  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    const run: Promise<unknown> = Reflect.get(present, name)(...args)
    inFlight.add(run)
    try {
      return await run
    } finally {
      inFlight.delete(run)
    }
  }
  return {
    activities: Object.fromEntries(
      Object.keys(activities).map((name) => [name, (...args: unknown[]) => call(name, args)]),
    ),
    /** Runs `act` with `changes`. No activity is running afterwards. */
    during: async <T>(changes: Partial<Activities>, act: () => Promise<T>): Promise<T> => {
      present = { ...activities, ...changes }
      try {
        return await act()
      } finally {
        await Promise.allSettled(inFlight)
        present = activities
      }
    },
  }
}
