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
  throw conflict(`The ${what} has changed since you read it. Read it again before you change it.`, {
    reason: 'modified',
    details: [{ path: 'ifUnmodifiedSince', message: `is before ${updatedAt}` }],
  })
}
