import {
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  setCurrentDetails,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { ControlActivities } from '../activities/index.ts'
import { BATCH_FAILED, type BatchReport } from '../src/domain/batches/batch.ts'
import { throwIfCancelled } from './cancellation.ts'
import { Chunks, type Ending } from './chunks.ts'
import {
  HEARTBEAT_TIMEOUT,
  type SendBatchInput,
  type SendPlan,
  type SendProgress,
} from './contract.ts'
import { type Rest, restUntilWoken } from './wake.ts'

const SHORT = {
  startToCloseTimeout: '2 minutes',
  // A task that was lost on its way to a worker is noticed after this, too.
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
} as const
const { beginBatch, completeBatch, decideTest, failBatch, reportBatch } =
  proxyActivities<ControlActivities>(SHORT)
const { freezeAudience } = proxyActivities<ControlActivities>({
  ...SHORT,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
})

/**
 * Interval at which a batch that waits for a person is read again. A person who resumes it or
 * chooses a winner wakes its run earlier.
 */
const LOOK_MS = 6 * 3_600_000

/**
 * Sends one batch: waits for its time, freezes the audience, sends it in chunks, and completes it
 * when every row has its outcome.
 *
 * It owns nothing: every status and every recipient is in Postgres, and the activities only act
 * while the batch's row allows it. It ends when the batch is completed, failed or cancelled. A lost
 * worker costs nothing: chunks are fixed ranges, and a chunk that runs again finds only the rows
 * that are left. A cancellation in the Temporal UI, instead of the API's DELETE, makes the batch
 * fail.
 *
 * Returns the report of the batch. A run whose batch failed ends as a failure with the report. A
 * cancelled run has it in its details only, since Temporal keeps no result of those.
 */
export async function sendBatch(input: SendBatchInput): Promise<BatchReport | undefined> {
  const { organizationId, batchId, attempt } = input
  const run = { organizationId, batchId, attempt }
  const rest = restUntilWoken()
  try {
    const plan = input.progress?.plan ?? (await prepare(run, rest))
    if (typeof plan === 'string') return await conclude(run, plan)
    const progress = input.progress ?? { plan, next: 0, unfinished: [] }
    const outcome = await send(run, progress, rest)
    if (outcome.kind === 'stopped') return await conclude(run, 'cancelled')
    if (outcome.kind === 'unavailable') {
      await failBatch(run, outcome.reason)
      return await conclude(run, 'failed')
    }
    while (!(await completeBatch(run))) await sleep(plan.passMs)
    return await conclude(run, 'completed')
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => stop(run))
    throw error
  }
}

type Run = Omit<SendBatchInput, 'progress'>

/** Patch of runs that end with a report. Earlier runs end as before. */
const REPORTS = 'reports'

/** Reports what became of the batch. Throws where it failed. `status`: as far as the run knows. */
async function conclude(run: Run, status: string): Promise<BatchReport | undefined> {
  if (!patched(REPORTS)) return show(status)
  // A cancellation that comes this late has nothing to cancel.
  const report = await CancellationScope.nonCancellable(() => reportBatch(run))
  showReport(report)
  if (report.status !== 'failed') return report
  throw ApplicationFailure.create({
    message: `The batch failed: ${report.reason}`,
    type: BATCH_FAILED,
    details: [report],
    nonRetryable: true,
    // The account or the sender says so: not a fault of the worker.
    category: 'BENIGN',
  })
}

/**
 * Fails the batch of a cancelled run. After the API's DELETE this changes nothing. After a
 * cancellation in the Temporal UI the batch must not stay `processing` without a run.
 */
async function stop(run: Run): Promise<void> {
  const reports = patched(REPORTS)
  if (!reports) show('cancelled')
  await failBatch(run, 'stopped_by_operator')
  if (reports) showReport(await reportBatch(run))
}

/**
 * Waits for the batch's time and freezes its audience. Returns a status if nothing is to be sent.
 */
async function prepare(run: Run, rest: Rest): Promise<SendPlan | string> {
  for (;;) {
    const start = await beginBatch(run)
    if (start.kind === 'ended') return start.status
    if (start.kind === 'go') {
      if (start.status !== undefined) show(start.status)
      break
    }
    if (start.kind === 'wait') show('scheduled')
    await rest(start.kind === 'wait' ? (start.waitMs ?? start.until - Date.now()) : LOOK_MS)
    if (workflowInfo().continueAsNewSuggested) await goOnInNewRun(run)
  }
  for (;;) {
    const frozen = await freezeAudience(run)
    if (!frozen) return 'cancelled'
    if (frozen.plan) return frozen.plan
  }
}

/**
 * Keeps a small window of chunks in flight: first each chunk once, when its time has come, then
 * again those with rows left, until none has any. While the batch is paused nothing is in flight.
 */
async function send(run: Run, progress: SendProgress, rest: Rest): Promise<Ending> {
  const chunks = new Chunks(run, progress)
  show('processing')
  chunks.show()
  while (chunks.mayGoOn()) {
    if (workflowInfo().continueAsNewSuggested) {
      await chunks.returned()
      if (!chunks.mayGoOn()) break
      await goOnInNewRun({ ...run, progress: chunks.progress() })
    }
    if (chunks.isHeld()) {
      await chunks.returned()
      await rest(LOOK_MS)
      chunks.lookAgain()
    }
    if (chunks.pauseMs() > 0) {
      await chunks.returned()
      chunks.show()
      await idle(chunks, chunks.pauseMs(), rest)
      chunks.show()
    }
    const chunk = chunks.takeNext()
    if (chunk === undefined) {
      await chunks.returned()
      if (chunks.areDone() || !chunks.mayGoOn()) break
      if (chunks.awaitsDecision()) {
        await decide(run, chunks, rest)
        continue
      }
      await idle(chunks, chunks.idleMs(), rest)
      chunks.beginPass()
      continue
    }
    await chunks.room()
    if (chunks.mayGoOn()) chunks.start(chunk)
  }
  await chunks.returned()
  chunks.show()
  return chunks.ending()
}

/** Runs that are woken while they idle; those that began before slept on. */
const WAKES = 'wakes'

/**
 * Waits while there is nothing to do. A wake may mean that Postgres was restored and the batch's
 * row is older than this run's state: chunks that were done may have rows again.
 */
async function idle(chunks: Chunks, ms: number, rest: Rest): Promise<void> {
  if (!patched(WAKES)) return sleep(Math.max(1, ms))
  if (await rest(ms)) chunks.tryAllAgain()
}

/** Continues as new, unless a cancellation arrived: it would be lost with this run. */
async function goOnInNewRun(input: SendBatchInput): Promise<never> {
  await throwIfCancelled()
  return continueAsNew<typeof sendBatch>(input)
}

/**
 * Waits until it is time to decide an A/B test, or a person has decided it. Meanwhile it checks
 * whether mails in doubt of the share were not accepted.
 */
async function decide(run: Run, chunks: Chunks, rest: Rest): Promise<void> {
  const test = await decideTest(run)
  if (test.kind === 'decided') return chunks.markDecided()
  const waitMs = test.until === undefined ? LOOK_MS : test.until - Date.now()
  await rest(Math.min(waitMs, chunks.idleMs()))
  chunks.beginPass()
}

function showReport({ status, reason, ...counts }: BatchReport): void {
  show(status)
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  setCurrentDetails(`**${status}**${reason === null ? '' : ` (${reason})`}: ${parts.join(', ')}`)
}

/** Sets the search attribute for operators in the Temporal UI. */
function show(status: string): undefined {
  upsertSearchAttributes({ AppStatus: [status] })
}
