import { threadTime } from '../../src/mail/thread-time.ts'

const EVERY_MS = 5

/**
 * How long this process' event loop was held at once since the start, at most, in milliseconds of
 * its own processor time: on a busy machine the clock says nothing of it.
 */
export function watchEventLoop(): { stop: () => number } {
  const now = (): number => threadTime(process.pid) ?? performance.now()
  let last = now()
  let longest = 0
  const look = (): void => {
    const at = now()
    longest = Math.max(longest, at - last)
    last = at
  }
  const timer = setInterval(look, EVERY_MS)
  return {
    stop: () => {
      clearInterval(timer)
      look()
      return longest
    },
  }
}
