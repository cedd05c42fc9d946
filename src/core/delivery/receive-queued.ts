import type { QueuedMessage, QueueSource } from '../../domain/delivery/event-queue.ts'
import { isRefusedValue, type Sql } from '../../store/db/sql.ts'
import { judgeEvents } from './judge-events.ts'
import { describeUnread, readEnvelope } from './read-event.ts'
import { type ReceivedEvent, toInboundEvent, toUnreadEvent } from './receive-event.ts'
import { storeEvents } from './store-events.ts'

interface UnappliedMessage {
  reason: string
  /** False: its connection has no room left today, so the event is only counted. */
  isKept: boolean
}

interface StoredMessage {
  /** An event arrived that may be applied. */
  isHeard: boolean
  /** Events that are new and are not applied. */
  notApplied: UnappliedMessage[]
  /** Errors of Postgres about events that it refused. */
  refused: unknown[]
}

/**
 * Stores the messages of a queue, as the webhook stores its requests. The queue decides whose the
 * events are, never the body. An event that cannot be read, stored or applied is kept with the
 * reason, or counted if too many were kept today, so that every message may be deleted afterwards.
 */
export async function storeQueued(
  sql: Sql,
  source: QueueSource,
  messages: readonly QueuedMessage[],
): Promise<StoredMessage> {
  const events = messages.map(({ body }) => eventOf(body, source))
  try {
    return { ...(await storeAll(sql, events)), refused: [] }
  } catch (error) {
    if (!isRefusedValue(error)) throw error
    return storeEach(sql, source, messages)
  }
}

function eventOf(body: string, source: QueueSource): ReceivedEvent {
  const read = readEnvelope(body)
  const proof = proofOf(source)
  return 'envelope' in read ? toInboundEvent(read.envelope, proof) : toUnreadEvent(read, proof)
}

const proofOf = ({ organizationId, connectionId: id, accountId, region }: QueueSource) => ({
  organizationId,
  id,
  accountId,
  region,
})

async function storeAll(
  sql: Sql,
  receivedEvents: readonly ReceivedEvent[],
): Promise<Omit<StoredMessage, 'refused'>> {
  // The applier judges them too.
  const events = await judgeEvents(sql, receivedEvents).catch(() => receivedEvents)
  const storedEvents = await storeEvents(sql, events)
  return {
    isHeard: storedEvents.some(({ reason }) => reason === undefined),
    notApplied: storedEvents.flatMap(({ isNew, isKept, reason }) =>
      isNew && reason !== undefined ? [{ reason, isKept }] : [],
    ),
  }
}

/**
 * Stores the messages of a refused set one by one, so that none stops the others. A message that
 * Postgres refuses is kept with an error and without its content: from then on silence about a mail
 * of ours proves nothing.
 */
async function storeEach(
  sql: Sql,
  source: QueueSource,
  messages: readonly QueuedMessage[],
): Promise<StoredMessage> {
  const sum: StoredMessage = { isHeard: false, notApplied: [], refused: [] }
  for (const { body } of messages) {
    const result = await storeAll(sql, [eventOf(body, source)]).catch((error: unknown) => {
      if (!isRefusedValue(error)) throw error
      sum.refused.push(error)
      const unread = describeUnread('refused_value', Buffer.from(body))
      return storeAll(sql, [toUnreadEvent(unread, proofOf(source))])
    })
    sum.isHeard ||= result.isHeard
    sum.notApplied.push(...result.notApplied)
  }
  return sum
}
