/** A part of the bytes that a process holds. */
export interface HeldPart {
  /** Bytes that were granted. */
  given: number
  /** Corrects the number of held bytes. 0 releases them. */
  resize(bytes: number): void
}

export type HeldBytes = ReturnType<typeof createHeldBytes>

/**
 * Counts bytes that a process holds, and grants none while it holds `most` of them. A holder that
 * needs more than it was granted corrects its number, and others wait longer.
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
