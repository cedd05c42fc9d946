/**
 * Fraction of the full test sizes, from 0 to 1. Slow parts (many rows, many races, long schedules
 * of faults) are small by default, also in `.ci/run`. `npm run test:slow` runs all of them.
 */
const SHARE = shareOf(process.env['TEST_SIZE'] ?? '0')

/** Full sizes. */
export const isFull = SHARE === 1

/** Seed of generated values: constant, or new with full sizes. A failure prints it. */
export const seed = isFull ? Date.now() % 1_000_000 : 17

/** The n-th of `parts` equal parts of a list, or all of it with full sizes. */
export const partOf = <T>(list: readonly T[], n: number, parts: number): readonly T[] =>
  isFull ? list : list.filter((_, at) => at % parts === n % parts)

/** Every tenth part of a list, or all of it with full sizes. */
export const tenthOf = <T>(list: readonly T[]): readonly T[] => partOf(list, 0, 10)

/** A number of things: `small` by default, `full` before a release. */
export const sized = (small: number, full: number): number =>
  Math.round(small + SHARE * (full - small))

function shareOf(text: string): number {
  const share = Number(text)
  if (!(share >= 0 && share <= 1)) throw new Error(`TEST_SIZE is from 0 to 1, not ${text}`)
  return share
}
