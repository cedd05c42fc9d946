import { readFileSync } from 'node:fs'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a test file. */
    cpuSeconds?: number
  }
}

/** Ticks of Linux' clock in a second. */
const TICKS = 100
/** Where /proc/…/stat has times, counted from the state: its own, and of children that ended. */
const OWN = [11, 12]
const CHILDREN = [13, 14]

/**
 * Processor time of this process and, where the system tells, of its children that ended, in
 * seconds.
 */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childrenSeconds()
}

/** Processor time of another process, in seconds; NaN where the system does not tell. */
export const cpuSecondsOf = (pid: number): number =>
  process.platform === 'linux' ? secondsIn(`/proc/${pid}/stat`, OWN) : Number.NaN

const childrenSeconds = (): number =>
  process.platform === 'linux' ? secondsIn('/proc/self/stat', CHILDREN) : 0

function secondsIn(path: string, places: readonly number[]): number {
  const stat = readFileSync(path, 'utf8')
  const figures = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return places.reduce((sum, at) => sum + Number(figures[at]) / TICKS, 0)
}
