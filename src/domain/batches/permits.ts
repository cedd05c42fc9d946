/**
 * An account's permits collect in a bucket that holds half a second of its rate, so that no receipt
 * waits behind permits that a batch took ahead. The bucket of a slow account holds a second of its
 * rate, five mails at most, so that a caller who is a moment late loses no permit.
 */
export const BUCKET_SECONDS = 0.5
export const SLOW_BUCKET_MAILS = 5

const LONGEST_MS = 500

/**
 * Returns the milliseconds after which a caller that got fewer permits than it wanted asks again:
 * half of the time in which the bucket fills. Asking for each permit would make a claim per mail.
 */
export function askAgainMs(rate: number): number {
  const bucket = Math.max(rate * BUCKET_SECONDS, Math.min(rate, SLOW_BUCKET_MAILS))
  return Math.min(LONGEST_MS, (bucket / rate / 2) * 1_000)
}
