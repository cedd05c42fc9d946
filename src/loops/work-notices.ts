import { listen } from '../store/db/listener.ts'
import type { Sql } from '../store/db/sql.ts'
import * as loopsAwake from '../store/platform/loops-awake.ts'

/** What work is told of: the table in which it is written (migration 0117). */
export type Channel = 'outbox' | 'inbound_events' | 'mail_queue' | 'dirty_contacts'

/** How long writers need not tell a loop that has just found work. */
const AWAKE_MS = 2_000
/** A loop looks often for longer than it said, since a writer decides before it commits. */
const LONGER_MS = 1_000
/** It says so this often at most. */
const NOTE_EVERY_MS = 500

export interface WorkNotices {
  /** False: nobody may be told, and loops look as often as without notices. */
  isListening: () => boolean
  /** Calls `wake` whenever work was committed. Returns how to end that. */
  on: (channel: Channel, wake: () => void) => () => void
  /**
   * Says that work of the channel is looked for often. Returns until when it must be
   * (`performance.now()`).
   */
  noteAwake: (channel: Channel) => Promise<number>
  stop: () => Promise<void>
}

/**
 * Hears of work that any process has committed. Writers tell only while no loop looks often:
 * Postgres lets one transaction after the other commit where they tell.
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
      const known = wakes.get(channel) ?? new Set()
      wakes.set(channel, known.add(wake))
      return () => void known.delete(wake)
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
