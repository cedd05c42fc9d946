/**
 * A broken guarantee to users: somebody is lost, mailed twice or let in. `.ci/run` never repeats a
 * test that fails with it.
 */
export class BrokenGuarantee extends Error {
  override name = 'BrokenGuarantee'
}

/**
 * Runs assertions about guarantees to users. A failed one becomes a `BrokenGuarantee` with the same
 * message and difference.
 */
export function guarantee(assertions: () => void): void {
  try {
    assertions()
  } catch (error) {
    throw broken(error)
  }
}

function broken(error: unknown): BrokenGuarantee {
  if (!(error instanceof Error)) return new BrokenGuarantee(String(error))
  const { actual, expected } = error as { actual?: unknown; expected?: unknown }
  const result = new BrokenGuarantee(error.message, { cause: error })
  // Vitest prints the difference of these.
  if ('actual' in error) Object.assign(result, { actual, expected, showDiff: true })
  return result
}
