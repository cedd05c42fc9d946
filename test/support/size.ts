/**
 * How much of the full sizes the tests run with, from 0 to 1. What takes long (many rows, many
 * races, long schedules of faults) is small by default, also in `.ci/run`; `npm run test:slow` runs
 * all of it.
 */
const SHARE = shareOf(process.env['TEST_SIZE'] ?? '0')

/** Whether all of it is run. */
export const isFull = SHARE === 1

/** Of values made up: the same in each run, new ones where all is run. A failure tells its own. */
export const seed = isFull ? Date.now() % 1_000_000 : 17

/** The n-th of `parts` equal parts of a list; all of it where all is run. */
export const partOf = <T>(list: readonly T[], n: number, parts: number): readonly T[] =>
  isFull ? list : list.filter((_, at) => at % parts === n % parts)

/** The first of each ten of a list; all of it where all is run. */
export const tenthOf = <T>(list: readonly T[]): readonly T[] => partOf(list, 0, 10)

/** A number of things: `small` by default, `full` before a release. */
export const sized = (small: number, full: number): number =>
  Math.round(small + SHARE * (full - small))

function shareOf(text: string): number {
  const share = Number(text)
  if (!(share >= 0 && share <= 1)) throw new Error(`TEST_SIZE is from 0 to 1, not ${text}`)
  return share
}
