import { listen } from '../store/db/listener.ts'
import type { Sql } from '../store/db/sql.ts'
import * as loopsAwake from '../store/platform/loops-awake.ts'

/** Channels of notices: the tables in which work is written (migration 0117). */
export type Channel =
  | 'outbox'
  | 'inbound_events'
  | 'mail_queue'
  | 'text_queue'
  | 'dirty_contacts'
  | 'hook_queue'

/** Time for which writers send no notices to a loop that has just found work. */
const AWAKE_MS = 2_000
/** A loop looks often for longer than it announced, since a writer decides before it commits. */
const LONGER_MS = 1_000
/** Minimum interval of such announcements. */
const NOTE_EVERY_MS = 500

export interface WorkNotices {
  /** False: notices may be lost, and loops look as often as without them. */
  isListening: () => boolean
  /** Calls `wake` whenever work was committed. Returns a function that ends it. */
  on: (channel: Channel, wake: () => void) => () => void
  /**
   * Announces that the channel's work is looked for often. Returns the end of that time
   * (`performance.now()`).
   */
  noteAwake: (channel: Channel) => Promise<number>
  stop: () => Promise<void>
}

/**
 * Receives notices of work that any process has committed. Writers send them only while no loop
 * looks often, since Postgres commits transactions with notices one after the other.
 */
export function startWorkNotices({
  sql,
  databaseUrl,
}: {
  sql: Sql
  databaseUrl: string
}): WorkNotices {
  const wakes = new Map<string, Set<() => void>>()
  const notedAt = new Map<Channel, number>()
  const listener = listen(databaseUrl, {
    name: 'letterloom-notices',
    channel: 'letterloom_work',
    onNotice: (channel) => {
      for (const wake of wakes.get(channel) ?? []) wake()
    },
    // What was told before nobody heard.
    onListening: () => {
      for (const wake of [...wakes.values()].flatMap((each) => [...each])) wake()
    },
  })
  return {
    isListening: listener.isListening,
    on: (channel, wake) => {
      const channelWakes = wakes.get(channel) ?? new Set()
      wakes.set(channel, channelWakes.add(wake))
      return () => void channelWakes.delete(wake)
    },
    noteAwake: async (channel) => {
      const now = performance.now()
      const last = notedAt.get(channel) ?? -NOTE_EVERY_MS
      if (now - last >= NOTE_EVERY_MS) {
        notedAt.set(channel, now)
        await loopsAwake.note(sql, channel, AWAKE_MS)
      }
      return now + AWAKE_MS + LONGER_MS
    },
    stop: listener.close,
  }
}
