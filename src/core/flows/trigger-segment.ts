import type { ErrorDetail } from '../../domain/errors.ts'
import type { Trigger } from '../../domain/flows/flow.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import * as segments from '../../store/audience/segments.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { whyUnusable } from '../audience/usable.ts'
import { requireFeature } from '../access/plan.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'

const PATH = 'triggerConfig.segmentId'

/**
 * Returns the problem of a trigger's segment, if it names one. Until the transaction ends nobody
 * deletes it. Throws a 402 on a plan without segments, a 403 if another organization has it.
 */
export async function checkTriggerSegment(
  tx: Transaction,
  organizationId: Uuid,
  trigger: Trigger,
): Promise<ErrorDetail[]> {
  const id = 'segmentId' in trigger ? trigger.segmentId : undefined
  if (id === undefined) return []
  await requireFeature(tx, organizationId, 'segments')
  const kept = await segments.keep(tx, organizationId, isUuid(id) ? [id] : [])
  if (kept.size > 0) {
    const conditions = await segments.listConditions(tx, organizationId, [...kept])
    const problem = [...conditions.values()].map(whyUnusable).find((each) => each !== undefined)
    return problem === undefined ? [] : [{ path: PATH, message: `cannot be used. ${problem}` }]
  }
  await refuseForeign(tx, 'segment', organizationId, id)
  return [{ path: PATH, message: `${PATH} names no segment` }]
}
