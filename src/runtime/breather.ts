const MOST_MS = 5

/**
 * Returns a function to call between small parts of a long task. Await what it returns: after a few
 * milliseconds of work it yields the event loop to others.
 */
export function breather(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < MOST_MS) return undefined
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now()
        resolve()
      })
    })
  }
}
