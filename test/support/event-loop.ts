import { openSync, readSync } from 'node:fs'

/**
 * Milliseconds of processor time of this thread, which do not grow on a busy machine. The clock's
 * where the kernel does not report them.
 */
export const processorTime = clock()

function clock(): () => number {
  let file: number
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  } catch {
    return () => performance.now()
  }
  const bytes = Buffer.alloc(64)
  return () => {
    const length = readSync(file, bytes, 0, bytes.length, 0)
    return Number.parseInt(bytes.toString('latin1', 0, length), 10) / 1e6
  }
}

const TICK_MS = 1

/**
 * Measures the longest block of this process' event loop: milliseconds of processor time between
 * two ticks of a timer that is due every millisecond. `stop` returns it.
 */
export function watchEventLoop(): { stop: () => number } {
  let longest = 0
  let before = processorTime()
  const look = (): void => {
    const now = processorTime()
    longest = Math.max(longest, now - before)
    before = processorTime()
  }
  const timer = setInterval(look, TICK_MS)
  return {
    stop: () => {
      clearInterval(timer)
      look()
      return longest
    },
  }
}

/** Result of `work`, and its longest block of the event loop. */
export async function watched<T>(work: () => Promise<T>): Promise<{ value: T; holdMs: number }> {
  const watch = watchEventLoop()
  try {
    const value = await work()
    return { value, holdMs: watch.stop() }
  } finally {
    watch.stop()
  }
}

/** The kernel rarely updates this thread's time, so a shorter measurement means little. */
const LEAST_MEASURED_MS = 40
const MOST_TRIES = 500

/** Mean processor time of `JSON.parse` over as many tries as a reliable figure needs. */
export function parseMs(text: string): number {
  const begunAt = processorTime()
  for (let tries = 1; ; tries++) {
    try {
      JSON.parse(text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
    const spent = processorTime() - begunAt
    if (spent >= LEAST_MEASURED_MS || tries >= MOST_TRIES) return spent / tries
  }
}
