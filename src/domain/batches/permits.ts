/**
 * An account's permits gather in a bucket that holds half a second of its rate: no receipt waits
 * behind permits that a batch took ahead. Of a slow account it holds a second, five mails at most,
 * so that whoever comes a moment late for the next one loses nothing.
 */
export const BUCKET_SECONDS = 0.5
export const SLOW_BUCKET_MAILS = 5

const LONGEST_MS = 500

/**
 * Milliseconds after which somebody who got fewer permits than they asked for asks again: half of
 * the time in which the bucket fills. Asking for each permit would make a claim of each mail.
 */
export function askAgainMs(rate: number): number {
  const bucket = Math.max(rate * BUCKET_SECONDS, Math.min(rate, SLOW_BUCKET_MAILS))
  return Math.min(LONGEST_MS, (bucket / rate / 2) * 1_000)
}
