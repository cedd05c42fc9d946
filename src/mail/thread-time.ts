import { readFileSync } from 'node:fs'

/** The system counts a thread's time in hundredths of a second. */
const TICK_MS = 10
/** Field in `/proc/<process>/task/<thread>/stat`, counted from behind the thread's name. */
const USER_TIME = 11
const SYSTEM_TIME = 12

/**
 * Returns the processor time of a thread of this process in milliseconds. Undefined: the system
 * does not report it. (Node reports it from version 22.19 only.) It does not grow while the thread
 * waits for a processor, so a busy machine does not make an item look slow.
 */
export function threadTime(threadId: number): number | undefined {
  if (threadId === 0) return undefined
  try {
    const stat = readFileSync(`/proc/self/task/${threadId}/stat`, 'latin1')
    // The name may have any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])
    return Number.isNaN(ticks) ? undefined : ticks * TICK_MS
  } catch {
    return undefined
  }
}
