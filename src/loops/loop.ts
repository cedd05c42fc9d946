import { setTimeout as sleep } from 'node:timers/promises'

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

interface Loop {
  name: string
  /** Pause after a round that found nothing; a round that found something is followed at once. */
  idleMs: number
  /** One round: true when there may be more to do right away. */
  round: () => Promise<boolean>
  log: Log
}

const SLOWEST_MS = 10_000

/**
 * Repeats `round` until stopped. A failing round is logged and tried again with growing waits:
 * loops are what every worker does all the time, and none may end because Postgres or Temporal
 * restarts.
 */
export function startLoop({ name, idleMs, round, log }: Loop): { stop(): Promise<void> } {
  const stopping = new AbortController()
  let failures = 0

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let waitMs = idleMs
      try {
        if (await round()) waitMs = 0
        failures = 0
      } catch (error) {
        failures++
        waitMs = Math.min(SLOWEST_MS, Math.max(idleMs, 100) * 2 ** Math.min(failures, 8))
        log.warn({ loop: name, failures, err: error }, 'a round failed')
      }
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
