/** Work on one request that others are not answered during. */
const MOST_MS = 5

/**
 * For work of many small parts: call it between two of them, and await what it returns. Once a few
 * milliseconds have passed, others get the event loop before it goes on.
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
