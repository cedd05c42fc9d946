import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FlowWorkerOptions } from './flow-worker-process.ts'

const PROGRAM = fileURLToPath(new URL('./flow-worker-process.ts', import.meta.url))

/** Processes that run executions; each is started again when it dies. */
export function startFlowWorkers(
  count: number,
  options: () => FlowWorkerOptions,
): { kill: (index: number) => Promise<void>; deaths: () => number; stop: () => Promise<void> } {
  const children: ChildProcess[] = []
  let isStopping = false
  let deaths = 0

  function start(index: number): void {
    const child = fork(PROGRAM, [JSON.stringify(options())], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    children[index] = child
    child.once('exit', () => {
      if (isStopping) return
      deaths += 1
      start(index)
    })
  }

  for (let index = 0; index < count; index++) start(index)
  return {
    kill: async (index) => {
      const child = children[index % count]
      const ended = new Promise((resolve) => child?.once('exit', resolve))
      child?.kill('SIGKILL')
      await ended
    },
    deaths: () => deaths,
    stop: async () => {
      isStopping = true
      await Promise.all(
        children.map((child) => {
          const ended = new Promise((resolve) => child.once('exit', resolve))
          child.kill('SIGKILL')
          return ended
        }),
      )
    },
  }
}
