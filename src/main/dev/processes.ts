import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Distinguishes a process from a later one with the same number. */
export interface Identity {
  pid: number
  /** Time of its start, in the system's own form. */
  started: string
}

/** Returns the process with number `pid`. Undefined: there is none, or only a zombie. */
export async function identify(pid: number): Promise<Identity | undefined> {
  const started = process.platform === 'linux' ? fromProc(pid) : await fromPs(pid)
  return started === undefined ? undefined : { pid, started }
}

export async function isRunning({ pid, started }: Identity): Promise<boolean> {
  return (await identify(pid))?.started === started
}

/** Index of the state behind the name, which may contain spaces and brackets. */
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

export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
