import { MOST_COUNTED } from './pages.ts'

const REMEMBERED_MS = 10_000
const MOST_REMEMBERED = 10_000

/**
 * Counts lists and remembers the large ones. The answer says that their total is not exact, and
 * another count of ten thousand rows for every page would cost as much as the page. `now` is in
 * milliseconds.
 */
export function createCounter(now: () => number) {
  const large = new Map<string, number>()
  return async (list: string, count: () => Promise<number>): Promise<number> => {
    if ((large.get(list) ?? 0) > now()) return MOST_COUNTED + 1
    const total = await count()
    large.delete(list)
    if (total <= MOST_COUNTED) return total
    if (large.size >= MOST_REMEMBERED) large.clear()
    large.set(list, now() + REMEMBERED_MS)
    return total
  }
}
