import { readFileSync } from 'node:fs'

declare module 'vitest' {
  interface TaskMeta {
    /** Seconds of processor time of a test file. */
    cpuSeconds?: number
  }
}

/** Linux clock ticks in a second. */
const TICKS = 100
/** Fields of times in /proc/…/stat, counted from the state: its own, and of ended children. */
const OWN = [11, 12]
const CHILDREN = [13, 14]

/** Seconds of processor time of this process and, where available, of its ended children. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childrenSeconds()
}

/** Seconds of processor time of another process. NaN where unavailable. */
export const cpuSecondsOf = (pid: number): number =>
  process.platform === 'linux' ? secondsIn(`/proc/${pid}/stat`, OWN) : Number.NaN

const childrenSeconds = (): number =>
  process.platform === 'linux' ? secondsIn('/proc/self/stat', CHILDREN) : 0

function secondsIn(path: string, places: readonly number[]): number {
  const stat = readFileSync(path, 'utf8')
  const figures = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return places.reduce((sum, at) => sum + Number(figures[at]) / TICKS, 0)
}
