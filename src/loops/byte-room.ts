/** Room for bytes that a process holds at once. Callers are served in order. */
export interface ByteRoom {
  /**
   * Waits until there is room for `bytes`, and returns a function that frees it. More than the
   * whole room counts as the whole room. Throws when `signal` ends first.
   */
  take(bytes: number, signal: AbortSignal): Promise<() => void>
  isCrowded(): boolean
}

interface Waiter {
  bytes: number
  admit: () => void
}

export function createByteRoom(most: number): ByteRoom {
  let heldBytes = 0
  const waiting: Waiter[] = []

  function admitNext(): void {
    for (let [first] = waiting; first && heldBytes + first.bytes <= most; [first] = waiting) {
      waiting.shift()
      heldBytes += first.bytes
      first.admit()
    }
  }

  function wait(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const leave = (): void => {
        const place = waiting.indexOf(waiter)
        if (place >= 0) waiting.splice(place, 1)
        reject(new Error('aborted'))
        admitNext()
      }
      const waiter: Waiter = {
        bytes,
        admit: () => {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.push(waiter)
      admitNext()
    })
  }

  return {
    take: async (bytes, signal) => {
      const share = Math.min(bytes, most)
      await wait(share, signal)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        heldBytes -= share
        admitNext()
      }
    },
    isCrowded: () => waiting.length > 0,
  }
}
