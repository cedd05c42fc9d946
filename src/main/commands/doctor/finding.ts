/** Result of one check of `letterloom doctor`. */
export interface Finding {
  check: string
  isOk: boolean
  /** A sentence. */
  found: string
  /** A sentence for the operator. Empty if the check passed. */
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

/** Runs a check. One that throws is a problem, too. */
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
