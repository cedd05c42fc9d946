/** Calls of this process that may be under way at once. */
const MOST_CALLS = 400
const MOST_OF_ORGANIZATION = 50
/** Calls of one organization to one host, over all its endpoints there. */
const MOST_OF_HOST = 10

export interface Caller {
  organizationId: string
  id: string
  host: string
  maxInFlight: number
  /** Its last call failed, or its gate is closed: one call at a time. */
  isFailing: boolean
}

export type CallRoom = ReturnType<typeof createCallRoom>

/**
 * Shares out the calls of a process. Endpoints that fail may have half of them together, so that
 * receivers that hang never keep others from being called. An endpoint begins with one call at a
 * time, and may have twice as many after each that succeeds.
 */
export function createCallRoom(mostCalls = MOST_CALLS) {
  const takenCalls = new Map<string, number>()
  const windows = new Map<string, number>()
  const countOf = (key: string): number => takenCalls.get(key) ?? 0
  const add = (key: string, calls: number): void => {
    const sum = countOf(key) + calls
    if (sum === 0) takenCalls.delete(key)
    else takenCalls.set(key, sum)
  }
  const limitsOf = ({ organizationId, id, host, maxInFlight, isFailing }: Caller) => {
    const window = isFailing ? 1 : Math.min(maxInFlight, windows.get(id) ?? 1)
    return [
      ['all', mostCalls],
      ...(isFailing ? [['failing', mostCalls / 2] as const] : []),
      [`organization ${organizationId}`, MOST_OF_ORGANIZATION],
      [`host ${organizationId} ${host}`, MOST_OF_HOST],
      [`endpoint ${id}`, window],
    ] as const
  }

  return {
    /** Takes room for up to `most` calls and returns for how many. */
    take(caller: Caller, most = Number.POSITIVE_INFINITY): number {
      const limits = limitsOf(caller)
      const calls = Math.max(
        0,
        Math.floor(Math.min(most, ...limits.map(([key, limit]) => limit - countOf(key)))),
      )
      if (calls > 0) for (const [key] of limits) add(key, calls)
      return calls
    },

    /** Releases what `take` took for the same caller. */
    giveBack(caller: Caller, calls: number): void {
      for (const [key] of limitsOf(caller)) add(key, -calls)
    },

    noteSuccess({ id, maxInFlight }: Caller): void {
      windows.set(id, Math.min(maxInFlight, (windows.get(id) ?? 1) * 2))
    },

    noteFailure({ id }: Caller): void {
      windows.delete(id)
    },

    inFlight: (): number => countOf('all'),
  }
}
