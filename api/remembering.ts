/** Revoking works within a second on every process, so nothing is remembered for longer. */
const REMEMBERED_MS = 900
const MOST_REMEMBERED = 10_000

/**
 * Remembers what was found for less than a second, and lets those who ask meanwhile wait for the
 * same answer. What was not found is asked again: a new key works at once. By a clock that is never
 * set back: a revoked key must not live on because the time was corrected.
 */
export function remembering<T extends object>(find: (hash: Buffer) => Promise<T | undefined>) {
  const found = new Map<string, { at: number; answer: T | Promise<T | undefined> }>()
  return (hash: Buffer): T | Promise<T | undefined> => {
    const name = hash.toString('base64')
    const known = found.get(name)
    if (known && performance.now() - known.at < REMEMBERED_MS) return known.answer
    if (found.size >= MOST_REMEMBERED) found.clear()
    const answer = find(hash)
    const entry: { at: number; answer: T | Promise<T | undefined> } = {
      at: performance.now(),
      answer,
    }
    found.set(name, entry)
    const forget = () => {
      if (found.get(name) === entry) found.delete(name)
    }
    answer.then((value) => {
      if (value === undefined) forget()
      else entry.answer = value
    }, forget)
    return answer
  }
}
