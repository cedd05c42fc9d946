import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Tells a process from a later one that was given the same number. */
export interface Identity {
  pid: number
  /** When it started, in whatever words the system has for it. */
  started: string
}

/**
 * The process that runs under `pid`; undefined: none. A zombie is none: it only waits to be
 * collected.
 */
export async function identify(pid: number): Promise<Identity | undefined> {
  const started = process.platform === 'linux' ? fromProc(pid) : await fromPs(pid)
  return started === undefined ? undefined : { pid, started }
}

/** Whether that very process still runs. */
export async function isRunning({ pid, started }: Identity): Promise<boolean> {
  return (await identify(pid))?.started === started
}

/**
 * The fields behind the name, which may itself hold spaces and brackets: the first is the state.
 */
const STATE = 0
const START_TICKS = 19

function fromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[STATE] === 'Z' || fields[STATE] === 'X' ? undefined : fields[START_TICKS]
  } catch {
    return undefined // ENOENT: no such process
  }
}

async function fromPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)])
    const [state, ...started] = stdout.trim().split(/\s+/)
    return state === undefined || state.startsWith('Z') ? undefined : started.join(' ')
  } catch {
    return undefined // exit status 1: no such process
  }
}

/** Sends a signal; false if the process is gone. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
