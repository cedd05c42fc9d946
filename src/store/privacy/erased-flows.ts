import type { Uuid } from '../../runtime/ids.ts'
import * as executions from '../flows/executions.ts'
import { type Sql, type Transaction, transact } from '../db/sql.ts'

const PAGE = 500

export async function erase(
  sql: Sql,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<void> {
  while (await transact(sql, (tx) => deleteEvents(tx, organizationId, contactIds)));
  let after: Uuid | undefined
  do {
    const from = after
    after = await transact(sql, (tx) => emptyExecutions(tx, organizationId, contactIds, from))
  } while (after !== undefined)
}

/**
 * Deletes some events of the contacts and the caller's ids of them, which may name the person. An
 * id that is older than the period of counted names belongs to somebody else by now. True: there
 * may be others.
 */
async function deleteEvents(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<boolean> {
  const events = await tx<
    { id: Uuid; eventId: string | null; name: string; contactId: Uuid; receivedAt: string }[]
  >`
    select id, event_id, name, contact_id, received_at
    from events
    where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])
    limit ${PAGE}`
  if (events.length === 0) return false
  const namedEvents = events.filter(({ eventId }) => eventId !== null)
  await tx`
    delete from event_ids i
    using unnest(
      ${namedEvents.map(({ eventId }) => eventId)}::text[],
      ${namedEvents.map(({ name }) => name)}::text[],
      ${namedEvents.map(({ contactId }) => contactId)}::uuid[],
      ${namedEvents.map(({ receivedAt }) => receivedAt)}::timestamptz[]
    ) as gone (event_id, name, contact_id, received_at)
    where i.organization_id = ${organizationId} and i.event_id = gone.event_id
      and (
        i.name = gone.name and i.contact_id = gone.contact_id
        or i.name = '' and i.received_at between gone.received_at - interval '1 hour'
          and gone.received_at + interval '1 hour'
      )`
  const ids = events.map(({ id }) => id).toSorted()
  await tx`
    delete from events
    where organization_id = ${organizationId} and id = any(${ids}::uuid[])
      and id between ${ids[0] ?? ''} and ${ids.at(-1) ?? ''}`
  return events.length === PAGE
}

/**
 * Empties some executions: their trigger, the outcomes of steps, and the awaited events. The rows
 * stay for counters and lists of their flows. A running execution ends. Returns where the next page
 * begins. Undefined: this was the last.
 */
async function emptyExecutions(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
  after: Uuid | undefined,
): Promise<Uuid | undefined> {
  const rows = await tx<{ id: Uuid; flowId: Uuid }[]>`
    select id, flow_id
    from executions
    where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])
      ${after === undefined ? tx`` : tx`and id > ${after}`}
    order by id
    limit ${PAGE}
    for update`
  if (rows.length === 0) return undefined
  const ids = rows.map(({ id }) => id)
  const ending = { status: 'cancelled', reason: 'contact_deleted' } as const
  await executions.end(tx, organizationId, ids, ending)
  await tx`
    update executions
    set data = '{}', error = null
    where organization_id = ${organizationId} and id = any(${ids}::uuid[])`
  await tx`
    update execution_steps
    set result = null, error = null
    where organization_id = ${organizationId} and execution_id = any(${ids}::uuid[])
      and (result is not null or error is not null)`
  await tx`
    delete from waits
    where organization_id = ${organizationId} and execution_id = any(${ids}::uuid[])`
  await tx`
    delete from flow_entries
    where organization_id = ${organizationId}
      and flow_id = any(${[...new Set(rows.map(({ flowId }) => flowId))]}::uuid[])
      and contact_id = any(${[...contactIds]}::uuid[])`
  return rows.length === PAGE ? ids.at(-1) : undefined
}
