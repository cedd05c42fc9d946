import type { SnsTopic } from '../../domain/delivery/sns-message.ts'
import { isUuid } from '../../runtime/ids.ts'
import * as snsTopics from '../../store/accounts/sns-topics.ts'
import type { Sql } from '../../store/db/sql.ts'

/** A disconnected or changed topic takes effect within a second on every process. */
const REMEMBERED_MS = 900
const MOST_REMEMBERED = 10_000

interface Remembered {
  /** Milliseconds of a clock that never goes back. */
  at: number
  topic: Promise<SnsTopic | undefined>
}

/**
 * Finds a connection's topic, from a cache of one second, if `isRight` for it. A cached topic that
 * is not right is read again: a topic that was set a moment ago is accepted at once.
 */
export function rememberedTopics(sql: Sql) {
  const remembered = new Map<string, Remembered>()

  async function load(connectionId: string): Promise<SnsTopic | undefined> {
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    const entry = { at: performance.now(), topic: snsTopics.find(sql, connectionId) }
    remembered.set(connectionId, entry)
    entry.topic.catch(() => remembered.delete(connectionId))
    return entry.topic
  }

  return async (
    connectionId: string,
    isRight: (topic: SnsTopic) => boolean,
  ): Promise<SnsTopic | undefined> => {
    if (!isUuid(connectionId)) return undefined
    const entry = remembered.get(connectionId)
    if (entry && performance.now() - entry.at < REMEMBERED_MS) {
      const topic = await entry.topic
      if (topic && isRight(topic)) return topic
    }
    const topic = await load(connectionId)
    return topic && isRight(topic) ? topic : undefined
  }
}
