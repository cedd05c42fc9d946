/** Admits `most` callers at once. Others wait in order. */
export function createGate(most: number) {
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
  let inside = 0
  let refusal: Error | undefined
  let onEmpty = (): void => {}

  return {
    isFull: (): boolean => inside >= most,
    async enter(): Promise<void> {
      if (refusal) throw refusal
      if (inside < most) inside++
      else await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
    },
    leave(): void {
      const next = waiting.shift()
      if (next) next.resolve()
      else if (--inside === 0) onEmpty()
    },
    /** Refuses waiting and new callers. Resolves when nobody is inside. */
    async close(error: Error): Promise<void> {
      refusal = error
      for (const each of waiting.splice(0)) each.reject(error)
      if (inside > 0) await new Promise<void>((resolve) => (onEmpty = resolve))
    },
  }
}
