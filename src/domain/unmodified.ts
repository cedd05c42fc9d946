import { conflict } from './errors.ts'

/**
 * Throws a 409 if the record was changed after the caller read it. `what` is the resource:
 * `workflow`. Times in ISO 8601.
 */
export function requireUnmodified(
  what: string,
  { updatedAt }: { updatedAt: string },
  since: string | undefined,
): void {
  if (since === undefined || Date.parse(updatedAt) <= Date.parse(since)) return
  throw conflict(`Somebody has changed the ${what} since`, {
    reason: 'modified',
    details: [{ path: 'ifUnmodifiedSince', message: `is before ${updatedAt}` }],
  })
}
