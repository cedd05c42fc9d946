import type { Uuid } from '../../runtime/ids.ts'
import * as removals from '../../store/contacts/removals.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as hookFacts from '../../store/hooks/hook-facts.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { exitOnDelete } from '../flows/exits.ts'

/**
 * Deletes contacts and everything that references them, and returns their number. The suppression
 * list keeps their addresses. Awaited confirmations end, and running executions are cancelled.
 */
export async function remove(
  tx: Transaction,
  organizationId: Uuid,
  ids: readonly Uuid[],
  requestId: string | undefined,
): Promise<number> {
  await removals.lock(tx, organizationId, ids)
  return removeLocked(tx, organizationId, ids, requestId)
}

export async function removeLocked(
  tx: Transaction,
  organizationId: Uuid,
  ids: readonly Uuid[],
  requestId: string | undefined,
): Promise<number> {
  await exitOnDelete(tx, organizationId, ids, requestId)
  const awaited = await removals.listAwaited(tx, organizationId, ids)
  const messages = awaited.map((payload) => ({ kind: 'end_confirmation' as const, payload }))
  await outbox.putAll(tx, organizationId, messages, requestId)
  const removedContacts = await removals.remove(tx, organizationId, ids)
  const occurredAt = new Date().toISOString()
  await hookFacts.record(
    tx,
    removedContacts.map(({ id, externalId }) => ({
      organizationId,
      type: 'contact.deleted',
      occurredAt,
      contactId: id,
      ...(externalId === null ? {} : { extra: { externalId } }),
    })),
  )
  return removedContacts.length
}
