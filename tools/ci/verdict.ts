/** A failed test, or a failed hook or file. */
export interface Failure {
  /** Path of the test file. Empty for an error outside of any test. */
  file: string
  /** Full name of the test. Empty for the file itself. */
  test: string
  reason: string
  /** The failure broke a guarantee to users, so it is never repeated. */
  isBrokenGuarantee: boolean
}

/** The file that test/support/plain-reporter.ts writes to TEST_REPORT. */
export interface Report {
  passed: number
  failures: readonly Failure[]
}

/** Tests that may pass at the second try in one run of all checks. */
const MOST_FLAKY = 3
/** More failures than this have one cause, and nothing is repeated. */
const MOST_REPEATED = 20

/** Returns the files whose failures may be due to chance, to be run once more. */
export function filesToRepeat(failures: readonly Failure[]): string[] {
  if (failures.length > MOST_REPEATED) return []
  const files = new Set(failures.map(({ file }) => file))
  for (const { file, isBrokenGuarantee } of failures) if (isBrokenGuarantee) files.delete(file)
  files.delete('')
  return [...files]
}

export interface Verdict {
  passed: number
  failed: number
  red: readonly Failure[]
  flaky: readonly Failure[]
}

/**
 * Returns the verdict on a run and its repetitions. A test that fails twice, breaks a guarantee or
 * was not repeated is red. A test that failed once of two times is flaky and counts as passed, but
 * more than three flaky tests count as failed.
 *
 * `repeated` holds the failures of each repeated file.
 */
export function verdictOn(
  report: Report,
  repeated: ReadonlyMap<string, readonly Failure[]>,
): Verdict {
  const isSame = (one: Failure) => (other: Failure) => one.test === other.test
  const red = report.failures.filter((failure) => {
    const again = repeated.get(failure.file)
    return again === undefined || again.some(isSame(failure))
  })
  const late = [...repeated].flatMap(([file, again]) => {
    const before = report.failures.filter((each) => each.file === file)
    return again.filter((each) => !before.some(isSame(each)))
  })
  red.push(...late.filter(({ isBrokenGuarantee }) => isBrokenGuarantee))
  const flaky = [
    ...report.failures.filter((each) => !red.includes(each)),
    ...late.filter((each) => !red.includes(each)),
  ]
  const isTooMany = flaky.length > MOST_FLAKY
  return {
    passed: report.passed + (isTooMany ? 0 : flaky.length),
    failed: red.length + (isTooMany ? flaky.length : 0),
    red,
    flaky,
  }
}
