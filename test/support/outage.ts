import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../src/config.ts'
import type { System } from '../../src/main/dev/system.ts'

const CLI = fileURLToPath(new URL('../../dist/src/main/cli.js', import.meta.url))

/** A program of the system that a test kills and starts. Nothing else restarts it. */
export interface Killable {
  start(): void
  /** kill -9. Resolves when it is gone. */
  kill(): Promise<void>
}

/**
 * The first program is the one that the system started. Later ones end with this process, since the
 * channel between them closes.
 */
export function killable(system: System, command: 'api' | 'worker'): Killable {
  const first = system[command]
  let child: ChildProcess | undefined
  return {
    start: () => {
      child = fork(CLI, [command], {
        env: childEnvironment(system.envOf(command)),
        stdio: 'ignore',
      })
    },
    kill: async () => {
      const pid = first.pid()
      if (pid !== undefined) {
        process.kill(pid, 'SIGKILL')
        // Told in the same moment, its supervisor starts no other.
        return first.stop()
      }
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
  }
}
