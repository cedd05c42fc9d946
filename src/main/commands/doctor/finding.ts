/** What one check of `letterloom doctor` found. */
export interface Finding {
  check: string
  isOk: boolean
  /** What was found, one sentence. */
  found: string
  /** What the operator does about it, one sentence. Empty where all is well. */
  remedy: string
}

export const ok = (check: string, found: string): Finding => ({
  check,
  isOk: true,
  found,
  remedy: '',
})

export const problem = (check: string, found: string, remedy: string): Finding => ({
  check,
  isOk: false,
  found,
  remedy,
})

/** A check whose questions fail has found something, too. */
export async function examined(
  check: string,
  remedy: string,
  examine: () => Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  try {
    return [await examine()].flat()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [problem(check, reason.split('\n', 1)[0] ?? reason, remedy)]
  }
}
