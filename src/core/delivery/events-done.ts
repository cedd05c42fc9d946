import type { Sql, Transaction } from '../../store/db/sql.ts'
import { takeRoom, type UnappliedEvent } from '../../store/delivery/unapplied-events.ts'
import * as inboundEvents from '../../store/delivery/inbound-events.ts'
import { countedExternal, type ReadEvent } from './match-untagged.ts'

interface Done {
  inbound: inboundEvents.WaitingEvent[]
  read: readonly ReadEvent[]
  applied: ReadonlySet<inboundEvents.WaitingEvent>
  held: readonly inboundEvents.WaitingEvent[]
  external: { stored: readonly ReadEvent[]; dropped: readonly ReadEvent[] }
}

/**
 * Deletes the contents of applied events. Events without effect get their reason, or are deleted if
 * their connection has no room left today. The row that counts the room is locked last.
 */
export async function markDone(
  tx: Transaction,
  { inbound, read, applied, held, external }: Done,
): Promise<void> {
  if (applied.size > 0) await inboundEvents.markApplied(tx, [...applied])
  const namesNobody = new Map(
    read.map(({ event, inbound: from }) => [
      from,
      event.isUntagged && event.recipients.length === 0,
    ]),
  )
  const dropped = new Set(external.dropped.map(({ inbound: from }) => from))
  const isHeld = new Set(held)
  const ignored = inbound
    .filter((event) => !applied.has(event) && !isHeld.has(event) && !dropped.has(event))
    .map((event) => ({ event, reason: namesNobody.get(event) ? 'no_recipient' : 'unknown_mail' }))
  const hasRoom = await takeRoom(tx, [
    ...ignored.map(({ event, reason }) => countedIgnored(event, reason)),
    ...external.stored.map((each) => countedExternal(each, true)),
    ...external.dropped.map((each) => countedExternal(each, false)),
  ])
  const keptEvents = ignored.filter((_, index) => hasRoom[index] === true)
  for (const { event } of ignored.filter((each) => !keptEvents.includes(each))) dropped.add(event)
  if (keptEvents.length > 0) await inboundEvents.markIgnored(tx, keptEvents)
  if (dropped.size > 0) await inboundEvents.remove(tx, [...dropped])
}

const countedIgnored = (
  { organizationId, connectionId, body }: inboundEvents.WaitingEvent,
  reason: string,
): UnappliedEvent => ({
  organizationId,
  connectionId,
  reason,
  rows: 1,
  bytes: Buffer.byteLength(body),
  isUnread: false,
  isStored: false,
})

/** Stores the reason of an event that cannot be applied, or deletes it if there is no room. */
export async function setAside(
  sql: Sql,
  event: inboundEvents.WaitingEvent,
  error: unknown,
): Promise<void> {
  const [hasRoom] = await takeRoom(sql, [{ ...countedIgnored(event, 'set_aside'), isUnread: true }])
  if (hasRoom === true) await inboundEvents.setAside(sql, event, String(error))
  else await inboundEvents.remove(sql, [event])
}
