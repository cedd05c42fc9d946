import type { Uuid } from '../../runtime/ids.ts'

/**
 * Organizations that wait take turns: a round serves those whose ids come after the one that was
 * served last, in the order of their ids, and then goes on from the beginning.
 */

/** Before every organization. */
export const FIRST_TURN: Uuid = '00000000-0000-0000-0000-000000000000'

/** The organization that a round served last; `after` where it served none. */
export function lastTurn(served: readonly { organizationId: Uuid }[], after: Uuid): Uuid {
  const ids = served.map(({ organizationId }) => organizationId).toSorted()
  return ids.findLast((id) => id <= after) ?? ids.at(-1) ?? after
}
