export const BATCH_STATUSES = [
  'queued',
  'scheduled',
  'processing',
  'completed',
  'failed',
  'cancelled',
] as const
export type BatchStatus = (typeof BATCH_STATUSES)[number]

/** The statuses in which DELETE cancels a batch. */
export const CANCELLABLE: readonly BatchStatus[] = ['scheduled', 'queued', 'processing']

const CHUNK_SECONDS = 20
const MIN_CHUNK = 10
const MAX_CHUNK = 1_000

/**
 * Recipients per chunk activity: about twenty seconds of the account's rate, so that an engine step
 * costs nothing beside it and a lost worker strands little. `rate` in mails a second.
 */
export const chunkSize = (rate: number): number =>
  Math.min(MAX_CHUNK, Math.max(MIN_CHUNK, Math.round(rate * CHUNK_SECONDS)))
