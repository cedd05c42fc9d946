import { type Lane, LANES } from '../../src/domain/mails/mail-priority.ts'

/** Each lane leaves this share of all sockets to each lane above it. */
const KEPT_SHARE = 1 / 16

export type Sockets = ReturnType<typeof createSockets>

/**
 * Counts sockets to one endpoint: `most` are in use at once. A call that finds none free waits;
 * those of higher lanes go first, and those of one lane in their order. Lower lanes leave some
 * free: a receipt cannot have a socket whose answer takes ten seconds.
 */
export function createSockets(most: number) {
  let usedCount = 0
  const lanes = LANES.map((lane, above) => ({
    lane,
    most: Math.ceil(most * (1 - above * KEPT_SHARE)),
    waiting: [] as (() => void)[],
  }))
  return {
    take(lane: Lane): Promise<void> | undefined {
      const own = lanes.find((each) => each.lane === lane)
      if (!own || usedCount < own.most) {
        usedCount++
        return undefined
      }
      return new Promise((resolve) => own.waiting.push(resolve))
    },
    free(): void {
      usedCount--
      const next = lanes.find((each) => each.waiting.length > 0 && usedCount < each.most)
      if (!next) return
      usedCount++
      next.waiting.shift()?.()
    },
  }
}
