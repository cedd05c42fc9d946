import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../src/config.ts'
import type { System } from '../../src/main/system.ts'

const CLI = fileURLToPath(new URL('../../dist/src/main/cli.js', import.meta.url))

/** A program of the system that a test starts and kills; nobody starts it again. */
export interface Killable {
  start(): void
  /** kill -9, and back when it is gone. */
  kill(): Promise<void>
}

/** It ends with this process at the latest: the channel between them closes. */
export function killable({ env }: System, command: 'api' | 'worker'): Killable {
  let child: ChildProcess | undefined
  return {
    start: () => {
      child = fork(CLI, [command], { env: childEnvironment({ ...env }), stdio: 'ignore' })
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
