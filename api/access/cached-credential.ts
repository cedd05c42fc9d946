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
  const cachedEntries = new Map<
    string,
    { at: number; answer: Promise<T | undefined>; foundCredential?: T }
  >()

  return {
    async find(token: string): Promise<T | undefined> {
      const name = fingerprint(token)
      const cachedEntry = cachedEntries.get(name)
      if (cachedEntry && performance.now() - cachedEntry.at < KEPT_MS) return cachedEntry.answer
      const answer = find(token)
      if (cachedEntries.size >= MOST_KEPT) cachedEntries.clear()
      const entry: { at: number; answer: Promise<T | undefined>; foundCredential?: T } = {
        at: performance.now(),
        answer,
      }
      cachedEntries.set(name, entry)
      try {
        const foundCredential = await answer
        if (foundCredential !== undefined) entry.foundCredential = foundCredential
        return foundCredential
      } finally {
        if (entry.foundCredential === undefined && cachedEntries.get(name) === entry)
          cachedEntries.delete(name)
      }
    },

    forget(matches: (credential: T) => boolean): void {
      for (const [name, { foundCredential }] of cachedEntries) {
        if (foundCredential === undefined || matches(foundCredential)) cachedEntries.delete(name)
      }
    },
  }
}
