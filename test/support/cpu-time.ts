import { readFileSync } from 'node:fs'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a test file. */
    cpuSeconds?: number
  }
}

/** Ticks of Linux' clock in a second. */
const TICKS = 100
/** Where /proc/self/stat has the time of the children that ended, counted from the state. */
const CHILDREN = [13, 14]

/**
 * Processor time of this process and, where the system tells, of its children that ended, in
 * seconds.
 */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childrenSeconds()
}

function childrenSeconds(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const figures = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return CHILDREN.reduce((sum, at) => sum + Number(figures[at]) / TICKS, 0)
}
