import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { ControlActivities, SendActivities } from '../activities/index.ts'
import type { SendChunkResult } from '../activities/send-chunk.ts'
import { SEND_QUEUE, type SendBatchInput, type SendPlan, type SendProgress } from './contract.ts'

const SHORT = {
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
} as const
/**
 * So long a lost worker holds up what it was at: recipients of a chunk that it had not claimed, a
 * page of the audience. One that was only busy for that long hears of it with its next beat; until
 * then two may be at the same, which claims and locks keep apart.
 */
const LOST = '2s'
const { beginBatch, completeBatch, failBatch } = proxyActivities<ControlActivities>(SHORT)
const { freezeAudience } = proxyActivities<ControlActivities>({ ...SHORT, heartbeatTimeout: LOST })
const SENDING = {
  taskQueue: SEND_QUEUE,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: LOST,
  retry: { initialInterval: '200ms', maximumInterval: '5s' },
} as const
const { sendChunk } = proxyActivities<SendActivities>(SENDING)

/** How often the operators' view is brought up to date; each time is an event in the history. */
const DETAILS_EVERY_CHUNKS = 20

/**
 * Sends one batch: waits for its time, freezes the audience, sends it in chunks, and completes it
 * when every row is settled.
 *
 * Owns nothing: every status and every recipient lives in Postgres, and the activities only act
 * while the batch there says so. It ends when the batch is completed, failed or cancelled. A lost
 * worker costs nothing: chunks are fixed ranges, and a chunk that runs again finds only what is
 * left. Cancelled in the Temporal UI instead of by the API's DELETE, it leaves the batch failed.
 */
export async function sendBatch(input: SendBatchInput): Promise<void> {
  const { organizationId, batchId, attempt } = input
  const run = { organizationId, batchId, attempt }
  try {
    const plan = input.progress?.plan ?? (await prepare(run))
    if (!plan) return
    const progress = input.progress ?? { plan, next: 0, unfinished: [] }
    const outcome = await send(input, progress)
    if (outcome.kind === 'stopped') return show('cancelled')
    if (outcome.kind === 'unavailable') {
      await failBatch(run, outcome.reason)
      return show('failed')
    }
    while (!(await completeBatch(run))) await sleep(plan.passMs)
    show('completed')
  } catch (error) {
    if (isCancellation(error)) {
      show('cancelled')
      // After the API's DELETE this changes nothing; after a cancel in the Temporal UI the batch
      // must not stay `processing` with nobody working on it.
      await CancellationScope.nonCancellable(() => failBatch(run, 'stopped_by_operator'))
    }
    throw error
  }
}

/** Waits for the batch's time and freezes its audience. Undefined: there is nothing to send. */
async function prepare(run: Omit<SendBatchInput, 'progress'>): Promise<SendPlan | undefined> {
  for (;;) {
    const begun = await beginBatch(run)
    if (begun.kind === 'ended') return show(begun.status)
    if (begun.kind === 'go') break
    show('scheduled')
    await sleep(Math.max(1, begun.until - Date.now()))
  }
  for (;;) {
    const frozen = await freezeAudience(run)
    if (!frozen) return show('cancelled')
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
  const flying = new Set<number>()

  const report = (): void => {
    const tried = next - flying.size
    setCurrentDetails(
      `**${tried} of ${chunks} chunks** tried, ${unfinished.size} with rows left, ${plan.total} recipients`,
    )
  }
  const heed = (chunk: number, result: SendChunkResult): void => {
    if (result.kind === 'done') unfinished.delete(chunk)
    else unfinished.add(chunk)
    if (result.kind === 'paused') pausedUntil = Math.max(pausedUntil, result.resumeAt)
    if (result.kind === 'stopped' || result.kind === 'unavailable') ending ??= result
  }
  const fly = (chunk: number): void => {
    flying.add(chunk)
    const from = chunk * plan.chunkSize
    const to = Math.min(plan.total, from + plan.chunkSize)
    const chunkInput = { organizationId, batchId, attempt, from, to }
    const summary = `rows ${from} to ${to - 1} of ${plan.total}`
    void sendChunk
      .executeWithOptions({ ...SENDING, summary }, [chunkInput])
      .then(
        (result) => heed(chunk, result),
        (error: unknown) => {
          failure ??= error
          unfinished.add(chunk)
        },
      )
      .finally(() => {
        flying.delete(chunk)
        if (++returned % DETAILS_EVERY_CHUNKS === 0) report()
      })
  }
  const landed = () => condition(() => flying.size === 0)
  const open = () => ending === undefined && failure === undefined

  show('processing')
  report()
  let pass: number[] = []
  while (open()) {
    if (workflowInfo().continueAsNewSuggested) {
      await landed()
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
      await landed()
      await sleep(Math.max(1, pausedUntil - Date.now()))
    }
    const chunk = next < chunks ? next++ : pass.shift()
    if (chunk === undefined) {
      await landed()
      if (unfinished.size === 0 || !open()) break
      await sleep(plan.passMs)
      pass = [...unfinished].toSorted((a, b) => a - b)
      continue
    }
    await condition(() => flying.size < plan.window || !open())
    if (open()) fly(chunk)
  }
  await landed()
  report()
  if (failure !== undefined) throw failure
  return ending ?? { kind: 'sent' }
}

/** What an operator filters by in the Temporal UI. */
function show(status: string): undefined {
  upsertSearchAttributes({ AppStatus: [status] })
}
