import type { Uuid } from '../../runtime/ids.ts'

/**
 * Organizations that wait take turns: a round serves those whose ids follow the last served one, in
 * the order of their ids, and then starts again from the beginning.
 */

/** Id before all organizations. */
export const FIRST_TURN: Uuid = '00000000-0000-0000-0000-000000000000'

/** Returns the organization that a round served last, or `after` if it served none. */
export function lastTurn(served: readonly { organizationId: Uuid }[], after: Uuid): Uuid {
  const ids = served.map(({ organizationId }) => organizationId).toSorted()
  return ids.findLast((id) => id <= after) ?? ids.at(-1) ?? after
}
