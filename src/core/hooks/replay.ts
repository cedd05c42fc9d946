import { DELIVERY_DAYS } from '../../domain/hooks/hook-retries.ts'
import { conflict, notFound, refuse } from '../../domain/errors.ts'
import { HOOK_PRIORITY } from '../../domain/hooks/hook-event.ts'
import { toUtc } from '../../domain/times.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { HookDelivery, HookReplayInput } from '../../schemas/hooks/hook-delivery.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as hookDeliveries from '../../store/hooks/hook-deliveries.ts'
import { hookData } from './hook-bodies.ts'
import { loadSubjects } from './hook-subjects.ts'
import { audit, type HookContext, lockAndLoad } from './endpoints.ts'

const MOST_REPLAYED = 10_000
const DAY_MS = 86_400_000

type ReplayContext = Pick<HookContext, 'tx' | 'organizationId' | 'actor'>

/** Queues a delivery that is over again, with the same event id. */
export async function replayDelivery(
  context: ReplayContext,
  endpointId: string,
  id: string,
): Promise<HookDelivery> {
  const { tx, organizationId } = context
  await lockAndLoad(context, endpointId)
  const key = { organizationId, endpointId, id }
  const delivery = isUuid(id) ? await hookDeliveries.find(tx, key) : undefined
  if (!delivery) throw notFound('Delivery')
  await requireSubjects(tx, key)
  if (!(await hookDeliveries.replay(tx, key))) {
    throw conflict('This delivery is still pending', { reason: 'delivery_pending' })
  }
  await audit(context, 'webhook_endpoint.replayed', endpointId, { deliveryId: id })
  return (await hookDeliveries.find(tx, key)) ?? delivery
}

/** Throws a 409 if what the event is about is gone. */
async function requireSubjects(
  tx: Transaction,
  key: { organizationId: Uuid; endpointId: Uuid; id: Uuid },
): Promise<void> {
  const delivery = await hookDeliveries.findTold(tx, key)
  if (!delivery || delivery.priority === HOOK_PRIORITY.test) return
  const subjectsOf = await loadSubjects(tx, [delivery])
  if (hookData(delivery, subjectsOf(delivery)) === undefined) {
    throw conflict('What this event is about is gone', { reason: 'payload_gone' })
  }
}

/** Queues deliveries of a period again, oldest first. */
export async function replayPeriod(
  context: ReplayContext,
  endpointId: string,
  { since, until, states = ['failed'] }: HookReplayInput,
): Promise<{ replayed: number; more: boolean }> {
  const { tx, organizationId, actor } = context
  await lockAndLoad(context, endpointId)
  const sinceMs = timeOf('since', since)
  const untilMs = until === undefined ? actor.now : timeOf('until', until)
  if (sinceMs >= untilMs) refuse('since', 'must be before `until`')
  const period = {
    organizationId,
    endpointId,
    since: Math.max(sinceMs, actor.now - DELIVERY_DAYS * DAY_MS),
    until: untilMs,
    states,
    limit: MOST_REPLAYED,
  }
  const replayed = await hookDeliveries.replayPeriod(tx, period)
  await audit(context, 'webhook_endpoint.replayed', endpointId, { since, states, replayed })
  return { replayed, more: replayed === MOST_REPLAYED }
}

const timeOf = (path: string, text: string): number =>
  Date.parse(toUtc(text) ?? refuse(path, 'must be a time between the years 1 and 9999'))
