import { receivedEvents } from '../../runtime/metrics.ts'
import type { Sql } from '../../store/db/sql.ts'
import * as inboundEvents from '../../store/delivery/inbound-events.ts'
import { takeRoom } from '../../store/delivery/unapplied-events.ts'

export interface StoredEvent {
  /** False: the event was stored before. One that is only counted is always new. */
  isNew: boolean
  /** False: its connection has no room left today, so the event is only counted. */
  isKept: boolean
  /** Reason for which it is not applied. */
  reason: string | undefined
}

/**
 * Stores events whose proofs were checked, and returns what became of each, in their order. Those
 * that will not be applied are kept as long as their connection has room; the others always are.
 *
 * Room is taken in a statement of its own: the row that counts it would otherwise be held while
 * events wait for each other.
 */
export async function storeEvents(
  sql: Sql,
  events: readonly inboundEvents.InboundEvent[],
): Promise<StoredEvent[]> {
  const unapplied = events.flatMap((event) => {
    const reason = event.error ?? event.ignored
    return reason === undefined ? [] : [{ event, reason }]
  })
  const hasRoom = await takeRoom(
    sql,
    unapplied.map(({ event, reason }) => ({
      organizationId: event.organizationId,
      connectionId: event.connectionId,
      reason,
      rows: 1,
      bytes: Buffer.byteLength(event.body) + Buffer.byteLength(event.envelopeId),
      isUnread: event.error !== undefined,
      isStored: false,
    })),
  )
  const dropped = new Set(
    unapplied.filter((_, index) => hasRoom[index] !== true).map(({ event }) => event),
  )
  const keptEvents = events.filter((event) => !dropped.has(event))
  const isNew = keptEvents.length === 0 ? [] : await inboundEvents.store(sql, keptEvents)
  const newEvents = new Set(keptEvents.filter((_, index) => isNew[index] === true))
  const toApply = [...newEvents].filter(({ error, ignored }) => (error ?? ignored) === undefined)
  receivedEvents.inc(toApply.length)
  return events.map((event) => {
    const isKept = !dropped.has(event)
    return { isNew: !isKept || newEvents.has(event), isKept, reason: event.error ?? event.ignored }
  })
}
