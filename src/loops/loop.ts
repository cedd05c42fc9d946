import { failedRounds } from '../runtime/metrics.ts'
import type { Channel, WorkNotices } from './work-notices.ts'

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * Outcome of a round. True: there may be more to do right away. `done`: there was work. False:
 * there was none.
 */
type RoundOutcome = boolean | 'done'

interface Loop {
  name: string
  /** Pause after a round without work. A round with work is followed by the next at once. */
  idleMs: number
  round: () => Promise<RoundOutcome>
  log: Log
  /** Absent: the loop gets no notices and looks every `idleMs`. */
  notices?: WorkNotices | undefined
  channel?: Channel
}

const SLOWEST_MS = 10_000
/** Pause of a loop with notices. */
const TOLD_IDLE_MS = 1_000

/**
 * Repeats `round` until stopped. A failing round is logged and tried again with growing waits,
 * since every worker needs its loops, and none may end because Postgres or Temporal restarts.
 *
 * A loop with notices looks rarely while there is no work. For a moment after it found some it
 * looks often, and writers need not send notices. `wake` begins the next round at once.
 */
export function startLoop({ name, idleMs, round, log, notices, channel }: Loop): {
  stop(): Promise<void>
  wake(): void
} {
  const stopping = new AbortController()
  let failures = 0
  let isWoken = false
  let endWait = (): void => {}
  const wake = (): void => {
    isWoken = true
    endWait()
  }
  const listening = notices && channel && { notices, channel, often: 0 }
  const stopListening = listening?.notices.on(listening.channel, wake)

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let waitMs = idleMs
      isWoken = false
      try {
        const outcome = await round()
        if (outcome === true) waitMs = 0
        if (listening && outcome !== false) {
          listening.often = await listening.notices.noteAwake(listening.channel)
        } else if (
          listening?.notices.isListening() === true &&
          performance.now() > listening.often
        ) {
          waitMs = Math.max(idleMs, TOLD_IDLE_MS)
        }
        failures = 0
      } catch (error) {
        failures++
        failedRounds.inc({ loop: name })
        waitMs = Math.min(SLOWEST_MS, Math.max(idleMs, 100) * 2 ** Math.min(failures, 8))
        log.warn({ loop: name, failures, err: error }, 'a round failed')
      }
      if (waitMs > 0 && (!isWoken || failures > 0)) await wait(waitMs)
    }
  }

  /** A failing loop is not woken, since it would fail once more for each writer. */
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        stopping.signal.removeEventListener('abort', end)
        endWait = () => {}
        resolve()
      }
      const timer = setTimeout(end, ms)
      stopping.signal.addEventListener('abort', end)
      if (failures === 0) endWait = end
      if (stopping.signal.aborted) end()
    })

  const running = run()
  return {
    wake,
    stop: async () => {
      stopListening?.()
      stopping.abort()
      await running
    },
  }
}
