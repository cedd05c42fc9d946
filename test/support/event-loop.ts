import { openSync, readSync } from 'node:fs'

/**
 * Milliseconds of processor time that this thread has used: a busy machine does not make them more.
 * Where the kernel does not tell them, the clock's.
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
 * Watches for how long this process' event loop is held at once: milliseconds of processor time
 * between two ticks of a timer that is due every millisecond. `stop` returns the longest.
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

/** What `work` answers, and for how long it held the event loop at most. */
export async function watched<T>(work: () => Promise<T>): Promise<{ value: T; holdMs: number }> {
  const watch = watchEventLoop()
  try {
    const value = await work()
    return { value, holdMs: watch.stop() }
  } finally {
    watch.stop()
  }
}

/** The kernel counts this thread's time now and then only: a mean of less says little. */
const LEAST_MEASURED_MS = 40
const MOST_TRIES = 500

/** Processor time of `JSON.parse`, the mean of as many tries as it takes to tell. */
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
