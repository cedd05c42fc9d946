import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { loginUrl } from '../../src/store/db/logins.ts'
import { endWithUs } from './end-with-us.ts'
import { QUEUE_TIMINGS } from './event-queues.ts'

export interface Work {
  /** URL of a test's database. */
  databaseUrl: string
  keys: string
  timings: typeof QUEUE_TIMINGS
  /** Also polls queues. */
  polls?: boolean
  /** Work during which it is killed. */
  death?: 'applying' | 'received' | 'stored'
}

interface Options extends Omit<Work, 'timings'> {
  timings?: Work['timings']
  /** Limit of V8's heap. */
  heapMegabytes?: number
}

const PROGRAM = fileURLToPath(new URL('./event-worker-process.ts', import.meta.url))

/** A process that applies delivery events. It has started when this resolves. */
export async function startEventWorker({ heapMegabytes, ...work }: Options) {
  const databaseUrl = loginUrl(work.databaseUrl, 'letterloom_worker')
  const argument = JSON.stringify({ timings: QUEUE_TIMINGS, ...work, databaseUrl })
  const heap = heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`]
  const child: ChildProcess = endWithUs(
    fork(PROGRAM, [argument], { execArgv: ['--import', 'tsx', ...heap] }),
  )
  const exited = once(child, 'exit')
  const firstMessage = await Promise.race([once(child, 'message'), exited.then(() => undefined)])
  if (!firstMessage) throw new Error('the worker did not start')
  return {
    hasEnded: (): boolean => child.exitCode !== null || child.signalCode !== null,
    /** Resolves to the signal once it is killed. */
    killed: async (): Promise<unknown> => (await exited)[1],
    stop: async (): Promise<void> => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
