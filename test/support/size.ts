/**
 * How much of the full sizes the tests run with, from 0 to 1. What takes long (many rows, many
 * races, long schedules of faults) is small by default; `npm run test:slow` runs all of it, and
 * `.ci/run` a part.
 */
const SHARE = shareOf(process.env['TEST_SIZE'] ?? '0')

/** Whether all of it is run. */
export const isFull = SHARE === 1

/** A number of things: `small` by default, `full` before a release. */
export const sized = (small: number, full: number): number =>
  Math.round(small + SHARE * (full - small))

function shareOf(text: string): number {
  const share = Number(text)
  if (!(share >= 0 && share <= 1)) throw new Error(`TEST_SIZE is from 0 to 1, not ${text}`)
  return share
}
