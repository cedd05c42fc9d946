/** A part of the bytes that a process holds. */
export interface HeldPart {
  /** Bytes that were granted. */
  given: number
  /** Corrects the number of held bytes. 0 releases them. */
  resize(bytes: number): void
}

/**
 * Counts bytes that a process holds: nobody is given more while it holds `most` of them. Somebody
 * who needs more than they were given says so, and the others wait for longer.
 */
export function createHeldBytes(most: number) {
  let held = 0
  return {
    isFull: (): boolean => held >= most,
    /** Takes as many of `wanted` bytes as there is room for. */
    take(wanted: number): HeldPart {
      const given = Math.max(0, Math.min(wanted, most - held))
      let bytes = given
      held += bytes
      return {
        given,
        resize: (to) => {
          held += to - bytes
          bytes = to
        },
      }
    },
  }
}
