import { type ChildProcess, spawn } from 'node:child_process'
import { REAPER } from './reaper.ts'

export interface Farewell {
  signal: NodeJS.Signals
  graceMs: number
}

const guarded = new Map<number, Farewell>()
let reaper: ChildProcess | undefined

/**
 * Ensures that process `pid` ends when this process does, even by kill -9. Call it in the same tick
 * as the spawn: there must be no moment at which the child is ours and nobody knows. The child
 * should lead its own process group (`detached`), as the whole group is killed after the grace.
 *
 * Returns the release, to be called when the child has exited: its number may belong to another
 * soon.
 */
export function guard(pid: number, farewell: Farewell): () => void {
  guarded.set(pid, farewell)
  if (reaper === undefined) startReaper()
  else watch(pid, farewell)
  return () => {
    guarded.delete(pid)
    reaper?.stdin?.write(`forget ${pid}\n`)
  }
}

function watch(pid: number, { signal, graceMs }: Farewell): void {
  reaper?.stdin?.write(`watch ${pid} ${signal} ${graceMs}\n`)
}

function startReaper(): void {
  const started = spawn(process.execPath, ['-e', REAPER], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: {},
  })
  reaper = started
  // A reaper that somebody killed is replaced; one that cannot be started leaves us without, once.
  started.once('exit', () => {
    reaper = undefined
    if (guarded.size > 0) startReaper()
  })
  started.once('error', () => {
    reaper = undefined
  })
  started.stdin.on('error', () => {})
  for (const [pid, farewell] of guarded) watch(pid, farewell)
  started.unref()
  // Only a socket has `unref`: that is what Node makes of a pipe to a child.
  if ('unref' in started.stdin && typeof started.stdin.unref === 'function') started.stdin.unref()
}
