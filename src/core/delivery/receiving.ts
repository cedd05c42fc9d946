import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import * as receivers from '../../store/delivery/receivers.ts'
import { type Sql, within } from '../../store/db/sql.ts'

/** The event bus closes a connection after five seconds. */
export const SLOW_ANSWER_MS = 4_000
const BEATS_PER_GAP = 5

/** Records which delivery events could not be received. */
export interface Receiving {
  /**
   * Records an event that was answered with 429 or 5xx, too late or not at all: the event bus tries
   * again. Undefined: its connection is unknown.
   */
  refused(connection: { organizationId: Uuid; id: Uuid } | undefined): void
  stop(): Promise<void>
}

interface Options {
  sql: Sql
  gapMs: number
  log: { warn(fields: object, message: string): void }
}

/**
 * Records while delivery events can be received: silence about a mail proves nothing while they
 * cannot. A heartbeat shows that this process serves. Refusals are written with the next heartbeat,
 * and kept until one is written.
 */
export function startReceiving({ sql, gapMs, log }: Options): Receiving {
  const id = uuidv7()
  const connections = new Map<Uuid, Uuid>()
  let interrupted = false
  let writing: Promise<void> | undefined

  async function beat(): Promise<void> {
    const refusedConnections = new Map(connections)
    const wasInterrupted = interrupted
    connections.clear()
    interrupted = false
    try {
      for (const [connectionId, organizationId] of refusedConnections) {
        await receivers.noteRefusal(within(sql, organizationId), organizationId, connectionId)
      }
      await receivers.beat(sql, { id, gapMs, interrupted: wasInterrupted })
    } catch (error) {
      for (const [connectionId, organizationId] of refusedConnections) {
        connections.set(connectionId, organizationId)
      }
      interrupted ||= wasInterrupted
      log.warn({ err: error }, 'the heartbeat of receiving could not be written')
    }
  }

  /** Runs one beat at a time, so that a slow one is not overtaken. */
  const beatAlone = (): void => {
    writing ??= beat().finally(() => {
      writing = undefined
    })
  }
  beatAlone()
  const timer = setInterval(beatAlone, gapMs / BEATS_PER_GAP).unref()

  return {
    refused: (whose) => {
      if (whose) connections.set(whose.id, whose.organizationId)
      else interrupted = true
    },
    stop: async () => {
      clearInterval(timer)
      await writing
      await beat()
      await receivers.stop(sql, id).catch(() => {})
    },
  }
}
