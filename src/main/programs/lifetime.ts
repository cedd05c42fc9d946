import closeWithGrace from 'close-with-grace'
import { scrubText } from '../../domain/privacy/scrub.ts'
import { plain } from '../commands/plain.ts'

/** Node's own handling of these is right: a crashed process has nothing to finish. */
const CRASHES = [
  'uncaughtException',
  'unhandledRejection',
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGSEGV',
] as const
/** Signals of profilers, and the event of an empty event loop. */
const NOT_OURS = ['SIGUSR2', 'SIGQUIT', 'beforeExit'] as const

/**
 * Runs a program that serves until a shutdown is requested, then ends the process: with 0 after an
 * orderly end, with 1 if it fails, takes longer than `mostStoppingMs` to stop, or is asked a second
 * time. Open handles do not keep the process alive.
 */
export async function runUntilStopped(
  mostStoppingMs: number,
  program: (stopped: AbortSignal) => Promise<void>,
): Promise<void> {
  const stopRequest = new AbortController()
  const running = program(stopRequest.signal).catch(fail)
  closeWithGrace(
    {
      delay: mostStoppingMs,
      skip: [...CRASHES, ...NOT_OURS],
      logger: { error: (words: unknown) => print(words) },
    },
    async () => {
      stopRequest.abort()
      await running
    },
  )
  await running
  process.exit()
}

export const whenStopped = (stopped: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stopped.aborted) resolve()
    else stopped.addEventListener('abort', () => resolve(), { once: true })
  })

export function fail(error: unknown): never {
  print(error instanceof Error ? error.message : error)
  process.exit(1)
}

const print = (words: unknown): void => {
  process.stderr.write(`${plain(scrubText(String(words)))}\n`)
}
