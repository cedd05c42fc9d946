import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { judgeEvents } from '../../src/core/delivery/judge-events.ts'
import type { ReceivedEvent } from '../../src/core/delivery/receive-event.ts'
import { type StoredEvent, storeEvents } from '../../src/core/delivery/store-events.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import type { WebhookAnswer } from '../../src/schemas/delivery/webhook.ts'
import { noteEvent } from '../../src/store/accounts/connections.ts'
import { within } from '../../src/store/db/sql.ts'
import type { Deps } from '../deps.ts'
import { coalesce } from '../http/coalesce.ts'

const STORE_LIMITS = { waitMs: 5, most: 200 }
const NOTE_EVERY_MS = 1_000
/** Time limit of judging, as a part of the event bus' five seconds. */
const JUDGE_MS = 1_000

/**
 * Stores proven delivery events in sets, and returns the answer of each. An event that is not
 * applied and exceeds the daily limit of its connection gets the same answer as others, and is
 * counted.
 */
export function eventKeeper(
  { sql, metrics }: Pick<Deps, 'sql' | 'metrics'>,
  log: FastifyBaseLogger,
): (received: ReceivedEvent) => Promise<WebhookAnswer> {
  const store = coalesce((events: ReceivedEvent[]) => storeSet(events), STORE_LIMITS)
  const lastNotes = new Map<Uuid, number>()

  /** Judges events within a time limit. Later the applier judges them again. */
  const judge = (received: readonly ReceivedEvent[]): Promise<readonly ReceivedEvent[]> =>
    Promise.race([
      judgeEvents(sql, received).catch(() => received),
      sleep(JUDGE_MS, received, { ref: false }),
    ])

  /**
   * Records that events arrive, without waiting for it: the row may be locked, and the next event
   * records it again.
   */
  function note(events: readonly ReceivedEvent[]): void {
    for (const { organizationId, connectionId, ignored, error } of events) {
      if (ignored !== undefined || error !== undefined) continue
      const time = performance.now()
      if (time - (lastNotes.get(connectionId) ?? -NOTE_EVERY_MS) < NOTE_EVERY_MS) continue
      lastNotes.set(connectionId, time)
      noteEvent(within(sql, organizationId), organizationId, connectionId).catch((err: unknown) =>
        log.warn({ err, connectionId }, 'an event could not be noted'),
      )
    }
  }

  async function storeSet(received: readonly ReceivedEvent[]): Promise<StoredEvent[]> {
    const events = await judge(received)
    const storedEvents = await storeEvents(sql, events)
    note(events)
    return storedEvents
  }

  return async (received) => {
    const { isNew, isKept, reason } = await store(received)
    if (reason === undefined) return { status: isNew ? 'processed' : 'duplicate' }
    if (isNew) metrics.eventsNotApplied.inc({ reason })
    if (isNew && isKept && received.error !== undefined) {
      log.warn(
        { connectionId: received.connectionId, reason },
        'a delivery event could not be read',
      )
    }
    return { status: 'ignored', reason }
  }
}
