/**
 * Keeps what comes and goes with every request. Not a Set: it makes its table anew every few dozen
 * entries, each table refers to the next, and once V8 holds one of them for old, all that was ever
 * in it lives until the next full collection: that was a sixth of the work of a request.
 */
export class Places<T extends object> implements Iterable<T> {
  readonly #taken: (T | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#taken.length - this.#free.length
  }

  /** Returns the place, to be given to `leave` once. */
  enter(value: T): number {
    const place = this.#free.pop() ?? this.#taken.length
    this.#taken[place] = value
    return place
  }

  leave(place: number): void {
    this.#taken[place] = undefined
    this.#free.push(place)
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const value of this.#taken) if (value !== undefined) yield value
  }
}
