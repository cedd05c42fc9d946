import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../src/config.ts'
import { endWithUs } from './end-with-us.ts'
import type { FlowWorkerOptions } from './flow-worker-process.ts'

const PROGRAM = fileURLToPath(new URL('./flow-worker-process.ts', import.meta.url))

export interface FlowWorkers {
  /**
   * kill -9 at once, or after the next activity before its result is reported. Another process is
   * started in its place.
   */
  kill: (index: number, when: 'now' | 'done') => Promise<void>
  stop: () => Promise<void>
}

/** Processes that run executions of the system with this environment. */
export function startFlowWorkers(
  count: number,
  env: Readonly<Record<string, string>>,
  options: FlowWorkerOptions,
): FlowWorkers {
  const start = (): ChildProcess =>
    endWithUs(
      fork(PROGRAM, [JSON.stringify(options)], {
        env: childEnvironment(env),
        execArgv: ['--import', 'tsx'],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    )
  const children = Array.from({ length: count }, start)

  async function end(child: ChildProcess, when: 'now' | 'done'): Promise<void> {
    const exit = once(child, 'exit')
    if (when === 'now') child.kill('SIGKILL')
    else child.send('die')
    await exit
  }

  return {
    kill: async (index, when) => {
      const child = children[index % count]
      if (child) await end(child, when)
      children[index % count] = start()
    },
    stop: async () => {
      await Promise.all(children.map((child) => end(child, 'now')))
    },
  }
}
