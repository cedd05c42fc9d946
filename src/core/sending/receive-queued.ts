import type { QueuedMessage, QueueSource } from '../../domain/sending/event-queue.ts'
import { noteEvent } from '../../store/accounts/connections.ts'
import * as inboundEvents from '../../store/sending/inbound-events.ts'
import { isRefusedValue, type Sql } from '../../store/db/sql.ts'
import { judgeEvents } from './judge-events.ts'
import { readEnvelope } from './read-event.ts'
import { type ReceivedEvent, toInboundEvent, toUnreadEvent } from './receive-event.ts'

interface Stored {
  /** Messages whose events are committed: they may be deleted. */
  kept: QueuedMessage[]
  /** Why events that are new are not applied. */
  notApplied: string[]
  /** Messages that Postgres does not take; they come again until the queue sets them aside. */
  refused: unknown[]
}

/**
 * Stores what a queue gave, as the webhook stores what it is sent: the queue decides whose the
 * events are, never the body. What cannot be read or applied is kept with its reason.
 */
export async function storeQueued(
  sql: Sql,
  source: QueueSource,
  messages: readonly QueuedMessage[],
): Promise<Stored> {
  const received = messages.map((message) => ({ message, event: eventOf(message, source) }))
  try {
    return await storeAll(sql, source, received)
  } catch (error) {
    if (!isRefusedValue(error)) throw error
    return storeEach(sql, source, received)
  }
}

interface Received {
  message: QueuedMessage
  event: ReceivedEvent
}

function eventOf({ body }: QueuedMessage, source: QueueSource): ReceivedEvent {
  const { organizationId, connectionId: id, accountId, region } = source
  const proof = { organizationId, id, accountId, region }
  const read = readEnvelope(body)
  return 'envelope' in read ? toInboundEvent(read.envelope, proof) : toUnreadEvent(read, proof)
}

async function storeAll(
  sql: Sql,
  { organizationId, connectionId }: QueueSource,
  received: readonly Received[],
): Promise<Stored> {
  // The applier judges them too.
  const given = received.map(({ event }) => event)
  const events = await judgeEvents(sql, given).catch(() => given)
  const isNew = await inboundEvents.store(sql, events)
  const isHeard = events.some(({ ignored, error }) => ignored === undefined && error === undefined)
  if (isHeard) await noteEvent(sql, organizationId, connectionId)
  return {
    kept: received.map(({ message }) => message),
    notApplied: events.flatMap(({ ignored, error }, index) => {
      const reason = ignored ?? error
      return isNew[index] === true && reason !== undefined ? [reason] : []
    }),
    refused: [],
  }
}

/** After a set that Postgres refused: no message may stop the others. */
async function storeEach(
  sql: Sql,
  source: QueueSource,
  received: readonly Received[],
): Promise<Stored> {
  const stored: Stored = { kept: [], notApplied: [], refused: [] }
  for (const each of received) {
    try {
      const { kept, notApplied } = await storeAll(sql, source, [each])
      stored.kept.push(...kept)
      stored.notApplied.push(...notApplied)
    } catch (error) {
      if (!isRefusedValue(error)) throw error
      stored.refused.push(error)
    }
  }
  return stored
}
