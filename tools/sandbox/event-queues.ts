import type { Settings } from './settings.ts'

/** Share of a second's rate that may leave at once. */
const BURST_SECONDS = 0.1
/** Events of one destination in memory. Others wait in Postgres. */
const FULL = 256

interface Queue<Event> {
  events: Event[]
  tokens: number
  filledAt: number
}

/**
 * Due events by destination, in order. Each destination has the rate of its API destination
 * (`InvocationRateLimitPerSecond`), and excess events wait.
 */
export function createEventQueues<Event>(settings: Settings) {
  const queues = new Map<string, Queue<Event>>()

  const fill = (queue: Queue<Event>, now: number): void => {
    const rate = settings.eventRatePerSecond
    const capacity = Math.max(1, rate * BURST_SECONDS)
    queue.tokens = Math.min(capacity, queue.tokens + ((now - queue.filledAt) / 1_000) * rate)
    queue.filledAt = now
  }

  return {
    add: (destination: string, event: Event): void => {
      const queue = queues.get(destination) ?? { events: [], tokens: 1, filledAt: 0 }
      queue.events.push(event)
      queues.set(destination, queue)
    },

    /** The next event whose destination may be called now. */
    take: (now: number): Event | undefined => {
      for (const [destination, queue] of queues) {
        if (queue.events.length === 0) continue
        if (settings.eventRatePerSecond > 0) {
          fill(queue, now)
          if (queue.tokens < 1) continue
          queue.tokens--
        }
        // The one that was served goes to the end: no destination waits for another's events.
        queues.delete(destination)
        queues.set(destination, queue)
        return queue.events.shift()
      }
      return undefined
    },

    /**
     * Milliseconds until a destination with waiting events may be called. Undefined: none waits.
     */
    waitMs: (): number | undefined => {
      const waiting = [...queues.values()].filter(({ events }) => events.length > 0)
      if (waiting.length === 0) return undefined
      if (settings.eventRatePerSecond === 0) return 0
      const missing = waiting.map(({ tokens }) => Math.max(0, 1 - tokens))
      return Math.ceil((Math.min(...missing) / settings.eventRatePerSecond) * 1_000)
    },

    /** Removes and returns matching events. */
    remove: (isWanted: (event: Event) => boolean): Event[] => {
      const removed: Event[] = []
      for (const queue of queues.values()) {
        const keptEvents: Event[] = []
        for (const event of queue.events) (isWanted(event) ? removed : keptEvents).push(event)
        queue.events = keptEvents
      }
      return removed
    },

    size: (): number => {
      let size = 0
      for (const { events } of queues.values()) size += events.length
      return size
    },

    /** Destinations with too many waiting events to fetch more. */
    full: (): string[] =>
      [...queues].filter(([, { events }]) => events.length >= FULL).map(([name]) => name),
  }
}
