interface Flight {
  mails: number
  /** Milliseconds on the scale of `performance.now()`. */
  beganAt: number
}

export type Flights = ReturnType<typeof createFlights>

/** Tracks mails that are being sent while further ones are claimed, up to `most` at once. */
export function createFlights(most: number) {
  const flights = new Map<Promise<void>, Flight>()
  const failures: unknown[] = []
  const inFlight = (): number => [...flights.values()].reduce((sum, { mails }) => sum + mails, 0)

  return {
    /** Returns the number of mails that may begin now. */
    room: (): number => Math.max(0, most - inFlight()),
    hasFailed: (): boolean => failures.length > 0,
    isEmpty: (): boolean => flights.size === 0,
    beganBefore: (time: number): boolean =>
      [...flights.values()].some(({ beganAt }) => beganAt < time),

    begin(mails: number, work: () => Promise<void>): void {
      const flight = work()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => flights.delete(flight))
      flights.set(flight, { mails, beganAt: performance.now() })
    },

    /** Waits until one of them has ended. */
    next: (): Promise<void> => Promise.race(flights.keys()),

    /** Waits until all of them have ended. Throws the error of the first that failed. */
    async landed(): Promise<void> {
      await Promise.all(flights.keys())
      if (failures.length > 0) throw failures[0]
    },
  }
}
