import type { BatchState } from '../../src/store/batches/batch-runs.ts'
import type { SendingConnection } from '../../src/store/accounts/senders.ts'
import type { Verdict } from '../calls.ts'

export type SendChunkResult = ChunkEnd & {
  /** Mails a second of the batch in the last minute. Absent: of an earlier worker. */
  ratePerSecond?: number
}

type ChunkEnd =
  /** Every row of the range has its outcome. */
  | { kind: 'done' }
  /** All rows without an outcome are in doubt: the chunk is tried again later. */
  | { kind: 'waiting' }
  /** Another claim holds the rows that are left for a moment: the chunk is tried again. */
  | { kind: 'open' }
  /**
   * The account cannot send for `waitMs`. `resumeAt` is for earlier workflows: milliseconds since
   * 1970 by the clock of one worker.
   */
  | { kind: 'paused'; waitMs?: number; resumeAt: number; reason: string }
  /** The batch is paused until somebody resumes it. */
  | { kind: 'held' }
  /** The batch is no longer to be sent. */
  | { kind: 'stopped' }
  /** Nothing can be sent through this connection any more. */
  | { kind: 'unavailable'; reason: string }

/** Results of a range in which only mails in doubt have no outcome, by the batch's state. */
export const OUTCOMES_AWAITED = {
  processing: { kind: 'waiting' },
  completed: { kind: 'done' },
  stopped: { kind: 'stopped' },
} as const

/** Returns the result of a chunk that gives up its slot for `waitMs`. */
export const paused = (waitMs: number, reason: string): SendChunkResult => ({
  kind: 'paused',
  waitMs,
  resumeAt: Date.now() + waitMs,
  reason,
})

/** Does the same with a random part, so that the chunks of many batches come back apart. */
export const pausedAbout = (waitMs: number, reason: string): SendChunkResult =>
  paused(waitMs * (1 + Math.random()), reason)

/** A refused sender is tried again until the breaker stops the batch. */
export const resultOfVerdict = (verdict: Verdict): SendChunkResult | undefined =>
  verdict.unavailable === undefined || verdict.isOfSender
    ? undefined
    : { kind: 'unavailable', reason: verdict.unavailable }

/** Returns the result if the connection cannot send at all. */
export function resultOfSender(sender: SendingConnection): SendChunkResult | undefined {
  if (sender.disconnected) return { kind: 'unavailable', reason: 'disconnected' }
  if (!sender.isVerified) return { kind: 'unavailable', reason: 'not_verified' }
  return undefined
}

/** Returns the result after a claim found the batch stopped or its connection gone. */
export function resultOfDeadClaim(
  sender: SendingConnection | undefined,
  batch: BatchState | undefined,
): SendChunkResult {
  if (!sender) return { kind: 'unavailable', reason: 'disconnected' }
  const result = resultOfSender(sender)
  if (result) return result
  if (batch?.isPaused) return { kind: 'held' }
  // Verified again meanwhile.
  if (batch?.status === 'processing') return { kind: 'open' }
  // Failed by another chunk, and maybe resumed since, by another attempt.
  if (!batch || batch.status === 'failed') return { kind: 'unavailable', reason: 'stopped' }
  return { kind: 'stopped' }
}
