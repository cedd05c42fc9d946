import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** All tests of outages have begun when this share of the others has. */
const SPREAD_OVER = 0.7

/** Those that wait longest, the longest first, so that none of them is what a run ends with. */
const LONGEST = ['silence', 'worker', 'mail-queue', 'slow-uploads', 'people', 'flows']

/**
 * Spreads the tests of outages, which mostly wait, among the others, which mostly calculate, so
 * that whatever runs at once keeps the machine busy. The longest outage comes first, then the files
 * with processes of their own. What comes last is short, so no process works alone at the end.
 */
export class OutagesAmongOthers extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const alone = sorted.filter(({ project }) => project.config.isolate)
    const shared = sorted.filter(({ project }) => !project.config.isolate)
    const [longest, ...outages] = shared.filter(isOutage).toSorted(byWaiting)
    const others = shared.filter((file) => !isOutage(file))
    return [
      ...(longest ? [longest] : []),
      ...alone,
      ...[...placed(outages, SPREAD_OVER), ...placed(others, 1)]
        .toSorted((one, other) => one.place - other.place)
        .map(({ file }) => file),
    ]
  }
}

const isOutage = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/test/faults/')

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return rank === -1 ? LONGEST.length : rank
}
const byWaiting = (one: TestSpecification, other: TestSpecification): number =>
  rankOf(one) - rankOf(other)

/** At even distances from 0 to `end`. */
const placed = (files: readonly TestSpecification[], end: number) =>
  files.map((file, n) => ({ file, place: (end * n) / files.length }))
