import { refuse } from '../errors.ts'

/**
 * Statuses of a batch, and what leads out of each:
 * - `queued`: `processing`, when its audience is frozen.
 * - `scheduled`: `processing`, when its time has come.
 * - `processing`: `completed`, when every recipient has an outcome.
 * - these three: `cancelled` by DELETE; `failed`, when its account, its sender, the breaker, a lost
 *   run or an operator stops it.
 * - `failed`: `processing` or `scheduled`, as the next attempt, when it is resumed; `cancelled`,
 *   when it is discarded.
 * - `completed` and `cancelled`: nothing.
 *
 * A batch that is paused keeps its status.
 */
export const BATCH_STATUSES = [
  'queued',
  'scheduled',
  'processing',
  'completed',
  'failed',
  'cancelled',
] as const
export type BatchStatus = (typeof BATCH_STATUSES)[number]

/** Returns the statuses of a comma-separated list. Undefined: any status. */
export function statusesOf(text: string | undefined): BatchStatus[] | undefined {
  if (text === undefined) return undefined
  const statusNames = new Set(text.split(','))
  for (const name of statusNames) {
    if (!BATCH_STATUSES.some((each) => each === name)) {
      refuse('status', `must be a comma-separated list of ${BATCH_STATUSES.join(', ')}`)
    }
  }
  return BATCH_STATUSES.filter((name) => statusNames.has(name))
}

/** Numbers of a batch's recipients by outcome, when a run of it ended. */
interface BatchCounts {
  /** The whole audience. 0: it was not frozen. */
  frozen: number
  sent: number
  failed: number
  skipped: number
  /** Recipients who were not mailed because the batch was cancelled. */
  cancelled: number
  /** Mails in doubt: delivery events may still decide. */
  unknown: number
}

/** Result of a run of a batch. */
export interface BatchReport extends BatchCounts {
  /** Status in the API. `superseded`: another attempt has the batch, or it is gone. */
  status: BatchStatus | 'superseded'
  /** Reason of a failure. */
  reason: string | null
}

/** Type of the failure that the run of a failed batch ends with; it carries the report. */
export const BATCH_FAILED = 'BatchFailed'

/** The statuses in which DELETE cancels a batch. */
export const CANCELLABLE: readonly BatchStatus[] = ['scheduled', 'queued', 'processing']

const CHUNK_SECONDS = 20
const MIN_CHUNK = 10
const MAX_CHUNK = 1_000
const MOST_CHUNKS = 4

/**
 * Recipients per chunk activity: about twenty seconds of the account's rate, so that an engine step
 * costs nothing beside it and a lost worker strands little. `rate` in mails a second.
 */
export const chunkSize = (rate: number): number =>
  Math.min(MAX_CHUNK, Math.max(MIN_CHUNK, Math.round(rate * CHUNK_SECONDS)))

/**
 * Chunk activities of one batch in flight: as many as hold twenty seconds of the account's rate,
 * four at most. A chunk has as much mail under way as rate and latency need, so one is enough for a
 * slow account; those of a fast one are over so soon that the next must be at work already.
 */
export const chunksInFlight = (rate: number): number =>
  Math.min(MOST_CHUNKS, Math.max(1, Math.ceil((rate * CHUNK_SECONDS) / MAX_CHUNK)))
