import { continueAsNew, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type { HealthActivities } from '../activities/index.ts'
import { PROVIDER_QUEUE, type SweepProgress } from './contract.ts'

const { listAccounts } = proxyActivities<HealthActivities>({
  taskQueue: PROVIDER_QUEUE,
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '1 minute' },
})
const { checkAccount } = proxyActivities<HealthActivities>({
  taskQueue: PROVIDER_QUEUE,
  startToCloseTimeout: '45s',
  // Without a worker the sweep must end some day, since otherwise no other one could begin.
  scheduleToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1s', maximumAttempts: 2 },
})

const PAGE = 100
const WINDOW = 10
/** Pages of one run, some 2,300 events of history. */
const PAGES = 5

const START: SweepProgress = { after: null, checked: 0, unanswered: 0, failed: 0 }

/**
 * Checks the sending health of every connected account of every organization once. A schedule
 * starts it hourly and skips an hour in which it is still running. The activity stores the results,
 * and the run holds only a page of ids and counters. An account that fails is counted and left for
 * the next hour, and the others continue.
 */
export async function sweepHealth(progress: SweepProgress = START): Promise<SweepProgress> {
  const counts = { ...progress }
  for (let page = 1; ; page++) {
    const accounts = await listAccounts({ after: counts.after, limit: PAGE })
    const waiting = accounts.values()
    // Workers share one iterator, so each item is handled once.
    const workers = Array.from({ length: WINDOW }, async () => {
      for (const account of waiting) counts[await check(account)]++
    })
    await Promise.all(workers)
    counts.after = accounts.at(-1)?.connectionId ?? counts.after
    if (accounts.length < PAGE) return counts
    if (page >= PAGES || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof sweepHealth>(counts)
    }
  }
}

type AccountCounter = Exclude<keyof SweepProgress, 'after'>

async function check(account: Parameters<typeof checkAccount>[0]): Promise<AccountCounter> {
  try {
    return (await checkAccount(account)) === 'checked' ? 'checked' : 'unanswered'
  } catch (error) {
    if (isCancellation(error)) throw error
    return 'failed'
  }
}
