import type { Definition, Trigger } from '../../domain/flows/flow.ts'
import { findRing } from '../../domain/flows/rings.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { Warning } from '../../schemas/common.ts'
import { listConditions } from '../../store/audience/segments.ts'
import type { Executor } from '../../store/db/sql.ts'
import { listLinked } from '../../store/flows/linked.ts'
import { MOST_A_DAY, MOST_AN_HOUR } from './brake.ts'

/** A flow that is to be enabled. */
export interface EnabledFlow {
  /** Undefined: it is being created. */
  id: Uuid | undefined
  name: string
  definition: Definition
}

const BRAKED: readonly Trigger['type'][] = [
  'segment_entry',
  'segment_exit',
  'topic_subscribed',
  'topic_unsubscribed',
]

/** Warns of flows that would start each other without end once this one is enabled. */
export async function ringWarnings(
  sql: Executor,
  organizationId: Uuid,
  { id, name, definition }: EnabledFlow,
): Promise<Warning[]> {
  if (!BRAKED.includes(definition.trigger.type)) return []
  const others = await listLinked(sql, organizationId, id)
  const flow = { ...definition, id: id ?? '', name }
  const segmentIds = [flow, ...others].flatMap(({ trigger }) =>
    'segmentId' in trigger && trigger.segmentId !== undefined && isUuid(trigger.segmentId)
      ? [trigger.segmentId]
      : [],
  )
  const conditions = await listConditions(sql, organizationId, [...new Set(segmentIds)])
  const ring = findRing(flow, others, conditions)
  if (!ring) return []
  const names = [...ring, flow].map((each) => `"${each.name}"`).join(', then ')
  const message =
    `Steps change what starts the next workflow, round and round: ${names}. ` +
    `More than ${MOST_AN_HOUR} starts in an hour or ${MOST_A_DAY} in a day for one contact are dropped`
  return [{ reason: 'workflow_ring', path: 'triggerConfig', message }]
}
