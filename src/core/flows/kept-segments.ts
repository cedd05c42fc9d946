import { needsOf } from '../../domain/audience/condition-needs.ts'
import type { Trigger } from '../../domain/flows/flow.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import * as keptSegments from '../../store/audience/kept-segments.ts'
import * as segments from '../../store/audience/segments.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { isUsable } from '../audience/usable.ts'
import * as triggered from '../../store/flows/triggered.ts'

/** The segment whose entries or exits a trigger is about. */
const watchedSegment = (trigger: Trigger): Uuid | undefined =>
  trigger.type === 'segment_entry' || trigger.type === 'segment_exit'
    ? trigger.segmentId
    : undefined

/**
 * Keeps the members of these segments from now on where an enabled flow waits for entries or exits,
 * and of the others no more. Called after a flow that is locked was changed; locks the segments, so
 * that of two changes at once the later sees the earlier. One that cannot be evaluated stays as it
 * is: no flow that waits for it is enabled.
 */
export async function keepWatched(
  tx: Transaction,
  organizationId: Uuid,
  triggers: readonly Trigger[],
): Promise<void> {
  const ids = new Set(triggers.flatMap((trigger) => watchedSegment(trigger) ?? []))
  for (const id of [...ids].filter(isUuid).toSorted()) {
    const segment = await segments.hold(tx, organizationId, id)
    const isWatched = await triggered.isWatched(tx, organizationId, id)
    if (!segment || !isWatched) await keptSegments.drop(tx, organizationId, id)
    else if (isUsable(segment.condition)) {
      await keptSegments.keep(tx, organizationId, id, needsOf(segment.condition))
    }
  }
}
