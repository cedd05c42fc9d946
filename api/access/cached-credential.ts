import { fingerprint } from '../../src/keys/tokens.ts'

/** Short, since revoking a key must work within a second on every process. */
const KEPT_MS = 900
const MOST_KEPT = 10_000

/**
 * Caches credentials for less than a second. Concurrent callers share one look-up. Missing
 * credentials are not cached, so that a new key works at once. The clock never goes back: a revoked
 * key must not live on because the time was corrected. Tokens themselves are not stored.
 */
export function cachedCredential<T extends object>(
  find: (token: string) => Promise<T | undefined>,
) {
  const kept = new Map<string, { at: number; answer: Promise<T | undefined>; found?: T }>()

  return {
    async find(token: string): Promise<T | undefined> {
      const name = fingerprint(token)
      const known = kept.get(name)
      if (known && performance.now() - known.at < KEPT_MS) return known.answer
      const answer = find(token)
      if (kept.size >= MOST_KEPT) kept.clear()
      const entry: { at: number; answer: Promise<T | undefined>; found?: T } = {
        at: performance.now(),
        answer,
      }
      kept.set(name, entry)
      try {
        const found = await answer
        if (found !== undefined) entry.found = found
        return found
      } finally {
        if (entry.found === undefined && kept.get(name) === entry) kept.delete(name)
      }
    },

    /** Forgets matching credentials and all running look-ups, which may match. */
    forget(matches: (found: T) => boolean): void {
      for (const [name, { found }] of kept) {
        if (found === undefined || matches(found)) kept.delete(name)
      }
    },
  }
}
