import { conflict } from '../../domain/errors.ts'
import { type Trigger, triggerKey } from '../../domain/flows/flow.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as triggered from '../../store/flows/triggered.ts'

/**
 * Enabled flows that the same cause starts: a thousand events of one request then start 20,000
 * executions, which are written in a few seconds. One flow with branches does the work of several.
 */
const MOST_ENABLED = 20

/**
 * Throws a 409 when as many flows with this trigger are enabled as may be: of one event name, topic
 * or segment, or of all contacts. `from`: what the flow was enabled with, when it was. The
 * organization is locked, so that of two that want the last place one gets it.
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
