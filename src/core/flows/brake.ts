import type { Uuid } from '../../runtime/ids.ts'
import * as notices from '../../store/accounts/notices.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as brakes from '../../store/flows/brakes.ts'
import type { EnteredFlow } from '../../store/flows/entries.ts'
import type { Start } from '../../store/flows/starts.ts'

/**
 * Starts of one flow for one contact by segments and topics in an hour. Automations that change
 * what each other's triggers read would start each other without end. Further starts are dropped
 * until the day (UTC) is over.
 */
export const MOST_AN_HOUR = 5
export const MOST_A_DAY = 10

/**
 * Returns the starts of one flow that the brake allows, in order. The contacts are locked, so that
 * all starts of a contact are counted.
 */
export async function brake(
  tx: Transaction,
  organizationId: Uuid,
  flow: EnteredFlow,
  starts: readonly Start[],
): Promise<{ passed: Start[]; stopped: Set<Uuid> }> {
  const times = new Map<Uuid, number>()
  for (const { isBraked, contactId } of starts) {
    if (isBraked) times.set(contactId, (times.get(contactId) ?? 0) + 1)
  }
  const room = new Map<Uuid, number>()
  const stopped = new Set<Uuid>()
  if (times.size === 0) return { passed: [...starts], stopped }
  const countedStarts = await brakes.listCounted(tx, organizationId, flow.id, times, MOST_AN_HOUR)
  for (const { contactId, isBraked, lastHour, today } of countedStarts) {
    room.set(contactId, isBraked ? 0 : Math.min(MOST_AN_HOUR - lastHour, MOST_A_DAY - today))
    if (isBraked) times.delete(contactId)
  }
  const passed = starts.filter(({ isBraked, contactId }) => {
    if (!isBraked) return true
    const remaining = room.get(contactId) ?? MOST_AN_HOUR
    room.set(contactId, remaining - 1)
    if (remaining > 0) return true
    if (times.has(contactId)) stopped.add(contactId)
    return false
  })
  return { passed, stopped }
}

/** Stops a flow for contacts until the day is over, and tells the owners once for each version. */
export async function stop(
  tx: Transaction,
  organizationId: Uuid,
  { id, version }: EnteredFlow,
  contactIds: ReadonlySet<Uuid>,
): Promise<void> {
  if (contactIds.size === 0) return
  const { name, until, now } = await brakes.stop(tx, organizationId, id, [...contactIds])
  await notices.put(tx, {
    kind: 'workflow_braked',
    data: {
      workflowId: id,
      workflowName: name,
      mostAnHour: MOST_AN_HOUR,
      mostADay: MOST_A_DAY,
      until,
    },
    organizationId,
    subject: id,
    period: `version ${version}`,
    at: now,
  })
}
