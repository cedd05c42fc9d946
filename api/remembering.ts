import { fingerprint } from '../src/tokens.ts'

/** Revoking works within a second on every process, so nothing is remembered for longer. */
const REMEMBERED_MS = 900
const MOST_REMEMBERED = 10_000

/**
 * Remembers what was found for less than a second, and lets those who ask meanwhile wait for the
 * same answer. What was not found is asked again: a new key works at once. By a clock that is never
 * set back: a revoked key must not live on because the time was corrected. Tokens themselves are
 * not kept. What `find` knows to be no token without asking is not remembered either.
 */
export function remembering<T extends object>(
  find: (token: string) => Promise<T | undefined> | undefined,
) {
  const found = new Map<string, { at: number; answer: T | Promise<T | undefined> }>()
  return (token: string): T | Promise<T | undefined> | undefined => {
    const name = fingerprint(token)
    const known = found.get(name)
    if (known && performance.now() - known.at < REMEMBERED_MS) return known.answer
    const answer = find(token)
    if (answer === undefined) return undefined
    if (found.size >= MOST_REMEMBERED) found.clear()
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
