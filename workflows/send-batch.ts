import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  setCurrentDetails,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { ControlActivities, SendActivities } from '../activities/index.ts'
import type { SendChunkResult } from '../activities/sending/send-chunk.ts'
import { BATCH_FAILED, type BatchReport } from '../src/domain/sending/batch.ts'
import { SEND_QUEUE, type SendBatchInput, type SendPlan, type SendProgress } from './contract.ts'

const SHORT = {
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
} as const
/**
 * After this long without a heartbeat another worker takes over. One that was only slow may overlap
 * with it until its next heartbeat; claims and locks keep them apart.
 */
const HEARTBEAT_TIMEOUT = '2s'
const { beginBatch, completeBatch, failBatch, reportBatch } =
  proxyActivities<ControlActivities>(SHORT)
const { freezeAudience } = proxyActivities<ControlActivities>({
  ...SHORT,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
})
const SENDING = {
  taskQueue: SEND_QUEUE,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '200ms', maximumInterval: '5s' },
} as const
const { sendChunk } = proxyActivities<SendActivities>(SENDING)

/** How often the operators' view is brought up to date; each time is an event in the history. */
const DETAILS_EVERY_CHUNKS = 20

/**
 * Sends one batch: waits for its time, freezes the audience, sends it in chunks, and completes it
 * when every row has its outcome.
 *
 * Owns nothing: every status and every recipient lives in Postgres, and the activities only act
 * while the batch there says so. It ends when the batch is completed, failed or cancelled. A lost
 * worker costs nothing: chunks are fixed ranges, and a chunk that runs again finds only what is
 * left. Cancelled in the Temporal UI instead of by the API's DELETE, it leaves the batch failed.
 *
 * Returns what became of the recipients; a run whose batch failed ends as a failure that carries
 * it. Of one that was cancelled only its details say it: Temporal keeps no result of those.
 */
export async function sendBatch(input: SendBatchInput): Promise<BatchReport | undefined> {
  const { organizationId, batchId, attempt } = input
  const run = { organizationId, batchId, attempt }
  try {
    const plan = input.progress?.plan ?? (await prepare(run))
    if (typeof plan === 'string') return await conclude(run, plan)
    const progress = input.progress ?? { plan, next: 0, unfinished: [] }
    const outcome = await send(input, progress)
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

/** Of runs that end with a report; those that began before end as they did. */
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
 * After the API's DELETE this changes nothing; after a cancel in the Temporal UI the batch must
 * not stay `processing` without a run.
 */
async function stop(run: Run): Promise<void> {
  const reports = patched(REPORTS)
  if (!reports) show('cancelled')
  await failBatch(run, 'stopped_by_operator')
  if (reports) showReport(await reportBatch(run))
}

/** Waits for the batch's time and freezes its audience; or how it ended, with nothing to send. */
async function prepare(run: Run): Promise<SendPlan | string> {
  for (;;) {
    const begun = await beginBatch(run)
    if (begun.kind === 'ended') return begun.status
    if (begun.kind === 'go') {
      if (begun.status !== undefined) show(begun.status)
      break
    }
    show('scheduled')
    await sleep(Math.max(1, begun.until - Date.now()))
  }
  for (;;) {
    const frozen = await freezeAudience(run)
    if (!frozen) return 'cancelled'
    if (frozen.plan) return frozen.plan
  }
}

type Ending = { kind: 'sent' } | { kind: 'stopped' } | { kind: 'unavailable'; reason: string }

/**
 * Keeps a small window of chunks in flight, first each once, then again those that have rows left,
 * until none has.
 */
async function send(input: SendBatchInput, progress: SendProgress): Promise<Ending> {
  const { organizationId, batchId, attempt } = input
  const { plan } = progress
  const chunks = Math.ceil(plan.total / plan.chunkSize)
  const unfinished = new Set(progress.unfinished)
  let { next } = progress
  let ending: Ending | undefined
  let failure: unknown
  let pausedUntil = 0
  let returned = 0
  const inFlight = new Set<number>()

  const report = (): void => {
    const tried = next - inFlight.size
    setCurrentDetails(
      `**${tried} of ${chunks} chunks** tried, ${unfinished.size} with rows left, ${plan.total} recipients`,
    )
  }
  const applyResult = (chunk: number, result: SendChunkResult): void => {
    if (result.kind === 'done') unfinished.delete(chunk)
    else unfinished.add(chunk)
    if (result.kind === 'paused') pausedUntil = Math.max(pausedUntil, result.resumeAt)
    if (result.kind === 'stopped' || result.kind === 'unavailable') ending ??= result
  }
  const start = (chunk: number): void => {
    inFlight.add(chunk)
    const from = chunk * plan.chunkSize
    const to = Math.min(plan.total, from + plan.chunkSize)
    const chunkInput = { organizationId, batchId, attempt, from, to }
    const summary = `rows ${from} to ${to - 1} of ${plan.total}`
    void sendChunk
      .executeWithOptions({ ...SENDING, summary }, [chunkInput])
      .then(
        (result) => applyResult(chunk, result),
        (error: unknown) => {
          failure ??= error
          unfinished.add(chunk)
        },
      )
      .finally(() => {
        inFlight.delete(chunk)
        if (++returned % DETAILS_EVERY_CHUNKS === 0) report()
      })
  }
  const finished = () => condition(() => inFlight.size === 0)
  const open = () => ending === undefined && failure === undefined

  show('processing')
  report()
  let pass: number[] = []
  while (open()) {
    if (workflowInfo().continueAsNewSuggested) {
      await finished()
      if (!open()) break
      // A cancellation that nothing has noticed yet would be lost with this run; a sleep notices
      // it.
      if (CancellationScope.current().consideredCancelled) await sleep(1)
      await continueAsNew<typeof sendBatch>({
        ...input,
        progress: { plan, next, unfinished: [...unfinished] },
      })
    }
    if (pausedUntil > Date.now()) {
      await finished()
      await sleep(Math.max(1, pausedUntil - Date.now()))
    }
    const chunk = next < chunks ? next++ : pass.shift()
    if (chunk === undefined) {
      await finished()
      if (unfinished.size === 0 || !open()) break
      await sleep(plan.passMs)
      pass = [...unfinished].toSorted((a, b) => a - b)
      continue
    }
    await condition(() => inFlight.size < plan.window || !open())
    if (open()) start(chunk)
  }
  await finished()
  report()
  if (failure !== undefined) throw failure
  return ending ?? { kind: 'sent' }
}

function showReport({ status, reason, ...counts }: BatchReport): void {
  show(status)
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  setCurrentDetails(`**${status}**${reason === null ? '' : ` (${reason})`}: ${parts.join(', ')}`)
}

/** What an operator filters by in the Temporal UI. */
function show(status: string): undefined {
  upsertSearchAttributes({ AppStatus: [status] })
}
