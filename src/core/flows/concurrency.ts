import type { Uuid } from '../../runtime/ids.ts'
import { type Sql, type Transaction, transact } from '../../store/db/sql.ts'
import { bump } from '../../store/flows/counters.ts'
import * as entries from '../../store/flows/entries.ts'
import * as executions from '../../store/flows/executions.ts'
import * as slots from '../../store/flows/slots.ts'

/**
 * Decides which of these attempts start and returns the ids of their executions: those that still
 * wait, and, if their flow limits how many run at once (`maxConcurrentExecutions`), have got one of
 * its slots. An execution without a slot is cancelled (`dropped`), which does not count as an entry
 * of the contact.
 */
export async function admitWithinLimit(
  sql: Sql,
  attempts: readonly slots.Attempt[],
): Promise<Set<Uuid>> {
  if (attempts.length === 0) return new Set()
  const rows = await slots.listStartable(sql, attempts)
  const starting = new Set(rows.flatMap(({ id, limitedBy }) => (limitedBy === null ? [id] : [])))
  const byFlow = new Map<Uuid, slots.Startable[]>()
  for (const row of rows) {
    if (row.limitedBy === null) continue
    byFlow.set(row.limitedBy, [...(byFlow.get(row.limitedBy) ?? []), row])
  }
  for (const [flowId, waiting] of byFlow) {
    const organizationId = waiting[0]?.organizationId ?? ''
    const ids = waiting.map(({ id }) => id)
    const granted = await transact(sql, (tx) => allocateSlots(tx, organizationId, flowId, ids))
    for (const id of granted) starting.add(id)
  }
  return starting
}

/**
 * Gives the free slots of a flow to the oldest of these executions. The flow's row is locked, so
 * that concurrent relays neither give a slot twice nor leave one free.
 */
async function allocateSlots(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  ids: readonly Uuid[],
): Promise<Uuid[]> {
  const flow = await slots.lockLimit(tx, organizationId, flowId)
  if (!flow) return []
  const { limit } = flow
  const used = limit === null ? 0 : await slots.countUsed(tx, organizationId, flowId, limit)
  const free = limit === null ? ids.length : limit - used
  const pending = await slots.lockPending(tx, organizationId, ids)
  const waiting = pending.filter(({ grantedAt }) => grantedAt === null).map(({ id }) => id)
  const granted = waiting.slice(0, Math.max(0, free))
  await slots.grant(tx, organizationId, granted)
  await drop(tx, organizationId, flowId, waiting.slice(granted.length))
  return [...pending.filter(({ grantedAt }) => grantedAt !== null).map(({ id }) => id), ...granted]
}

async function drop(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  ids: readonly Uuid[],
): Promise<void> {
  if (ids.length === 0) return
  const ending = { status: 'cancelled', reason: 'dropped' } as const
  const dropped = await executions.end(tx, organizationId, ids, ending, { cancelsRuns: false })
  await entries.revert(tx, organizationId, flowId, dropped)
  await bump(tx, organizationId, [{ flowId, counter: 'dropped', by: dropped.length }])
}
