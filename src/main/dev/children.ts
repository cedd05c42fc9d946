import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Farewell, guard } from './guard.ts'
import { signal } from './processes.ts'

export type Log = (line: string) => void

interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Child {
  pid: number
  /** Resolves when the program has ended, for whatever reason. Never rejects. */
  exited: Promise<Exit>
  hasExited: () => boolean
  lastLines: () => string
  /** Asks the program to end, and kills it after the grace period. Resolves when it has ended. */
  stop: () => Promise<Exit>
}

export interface ChildOptions {
  command: string
  args: readonly string[]
  farewell: Farewell
  log: Log
  /** Absent: the environment of this process. */
  env?: Record<string, string>
  /** Absent: `/`, since a working directory that its user cannot read stops Postgres. */
  cwd?: string
  uid?: number
  gid?: number
}

const KEPT_LINES = 20
const LAST_WORDS_MS = 200

/**
 * Starts a program that ends with us, however we end. It leads a session of its own, so that Ctrl-C
 * in a terminal reaches only us and we can stop our children in order. Rejects if there is no such
 * program or it may not be run.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { command, args, farewell, log, env, cwd = '/', uid, gid } = options
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    cwd,
    ...(env === undefined ? {} : { env }),
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  })
  const { pid } = child
  if (pid === undefined) {
    const [error] = await once(child, 'error')
    throw new Error(`Cannot start ${command}`, { cause: error })
  }
  const release = guard(pid, farewell)
  const lines = collectLines(child, log)
  let hasEnded = false
  child.on('error', () => {}) // a signal that came too late
  const closed = new Promise((resolve) => child.once('close', resolve))
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, name) => {
      hasEnded = true
      release()
      // For its last words; but a grandchild may hold the pipes for long after.
      void Promise.race([closed, sleep(LAST_WORDS_MS)]).then(() => resolve({ code, signal: name }))
    })
  })

  return {
    pid,
    exited,
    hasExited: () => hasEnded,
    lastLines: () => lines.join('\n'),
    stop: async () => {
      if (hasEnded) return exited
      signal(pid, farewell.signal)
      const kill = setTimeout(() => signal(-pid, 'SIGKILL'), farewell.graceMs)
      const exit = await exited
      clearTimeout(kill)
      return exit
    },
  }
}

function collectLines(child: ChildProcess, log: Log): string[] {
  const keptLines: string[] = []
  for (const input of [child.stdout, child.stderr]) {
    if (input === null) continue
    createInterface({ input }).on('line', (line) => {
      keptLines.push(line)
      if (keptLines.length > KEPT_LINES) keptLines.shift()
      log(line)
    })
  }
  return keptLines
}
