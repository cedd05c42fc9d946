import { conflict, type ErrorDetail } from '../../domain/errors.ts'
import { type Definition, type Trigger, triggerKey } from '../../domain/flows/flow.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import * as segments from '../../store/audience/segments.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { whyUnusable } from '../../domain/audience/usable-condition.ts'
import { requireFeature } from '../access/plan.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import * as triggered from '../../store/flows/triggered.ts'
import { findRing } from '../../domain/flows/rings.ts'
import type { Warning } from '../../schemas/common.ts'
import { MOST_A_DAY, MOST_AN_HOUR } from './brake.ts'

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
  const lockedIds = await segments.keep(tx, organizationId, isUuid(id) ? [id] : [])
  if (lockedIds.size > 0) {
    const conditions = await segments.listConditions(tx, organizationId, [...lockedIds])
    const problem = [...conditions.values()].map(whyUnusable).find((each) => each !== undefined)
    return problem === undefined ? [] : [{ path: PATH, message: `cannot be used. ${problem}` }]
  }
  await refuseForeign(tx, 'segment', organizationId, id)
  return [{ path: PATH, message: `${PATH} does not exist` }]
}

/**
 * Limit of enabled flows that the same cause starts. A thousand events of one request then start
 * 20,000 executions, which are written in a few seconds. One flow with branches does the work of
 * several.
 */
const MOST_ENABLED = 20

/**
 * Throws a 409 if too many flows with this trigger are enabled: with one event name, topic or
 * segment, or for all contacts. `from`: the trigger with which the flow is enabled already. The
 * organization is locked, so that only one of two concurrent callers gets the last place.
 */
export async function requireTriggerRoom(
  tx: Transaction,
  organizationId: Uuid,
  trigger: Trigger,
  from?: Trigger,
): Promise<void> {
  const { type } = trigger
  // Calls and schedules name their flow: nothing else starts with it.
  if (type === 'api' || type === 'schedule') return
  const key = triggerKey(trigger)
  // Flows that are enabled already may be changed, also where there are more of them.
  if (from && from.type === type && triggerKey(from) === key) return
  if ((await triggered.countEnabled(tx, organizationId, trigger)) < MOST_ENABLED) return
  const named = key === null ? type : `${type} ${key}`
  const message = `${MOST_ENABLED} workflows with the trigger ${named} are enabled already`
  throw conflict(message, { reason: 'trigger_limit' })
}

export interface EnabledFlow {
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

/** Warns of flows that would start each other without end after this one is enabled. */
export async function ringWarnings(
  sql: Executor,
  organizationId: Uuid,
  { id, name, definition }: EnabledFlow,
): Promise<Warning[]> {
  if (!BRAKED.includes(definition.trigger.type)) return []
  const others = await triggered.listLinked(sql, organizationId, id)
  const flow = { ...definition, id: id ?? '', name }
  const segmentIds = [flow, ...others].flatMap(({ trigger }) =>
    'segmentId' in trigger && trigger.segmentId !== undefined && isUuid(trigger.segmentId)
      ? [trigger.segmentId]
      : [],
  )
  const conditions = await segments.listConditions(sql, organizationId, [...new Set(segmentIds)])
  const ring = findRing(flow, others, conditions)
  if (!ring) return []
  const names = [...ring, flow].map((each) => `"${each.name}"`).join(', then ')
  const message =
    `Steps change what starts the next workflow, round and round: ${names}. ` +
    `More than ${MOST_AN_HOUR} starts in an hour or ${MOST_A_DAY} in a day for one contact are dropped`
  return [{ reason: 'workflow_ring', path: 'triggerConfig', message }]
}
