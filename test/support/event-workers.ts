import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { loginUrl } from '../../src/store/db/logins.ts'
import { endWithUs } from './end-with-us.ts'
import { QUEUE_TIMINGS } from './event-queues.ts'

export interface Work {
  /** Of a test's database. */
  databaseUrl: string
  keys: string
  timings: typeof QUEUE_TIMINGS
  /** Queues, too. */
  polls?: boolean
  /** What it is doing when it is killed. */
  death?: 'applying' | 'received' | 'stored'
}

const PROGRAM = fileURLToPath(new URL('./event-worker-process.ts', import.meta.url))

/** A process that applies delivery events; it has begun when this returns. */
export async function startEventWorker(work: Omit<Work, 'timings'>) {
  const argument = JSON.stringify({
    ...work,
    databaseUrl: loginUrl(work.databaseUrl, 'letterloom_worker'),
    timings: QUEUE_TIMINGS,
  })
  const child: ChildProcess = endWithUs(
    fork(PROGRAM, [argument], { execArgv: ['--import', 'tsx'] }),
  )
  const exited = once(child, 'exit')
  const begun = await Promise.race([once(child, 'message'), exited.then(() => undefined)])
  if (!begun) throw new Error('the worker did not start')
  return {
    /** How it was killed, once it is. */
    killed: async (): Promise<unknown> => (await exited)[1],
    stop: async (): Promise<void> => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
