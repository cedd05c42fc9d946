import closeWithGrace from 'close-with-grace'
import { scrubText } from '../../domain/privacy/scrub.ts'
import { plain } from '../commands/plain.ts'

/** Node's way with these is right: a process that crashed has nothing to put in order. */
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
/** Of profilers and of a loop that has run dry. */
const NOT_OURS = ['SIGUSR2', 'SIGQUIT', 'beforeExit'] as const

/**
 * Runs a program that serves until a shutdown is requested, and ends the process with it: with 0
 * once it has put everything in order, with 1 when it fails, takes longer than `mostStoppingMs` to
 * stop, or is told a second time. Nothing that it left open keeps the process.
 */
export async function runUntilStopped(
  mostStoppingMs: number,
  program: (stopped: AbortSignal) => Promise<void>,
): Promise<void> {
  const told = new AbortController()
  const running = program(told.signal).catch(fail)
  closeWithGrace(
    {
      delay: mostStoppingMs,
      skip: [...CRASHES, ...NOT_OURS],
      logger: { error: (words: unknown) => print(words) },
    },
    async () => {
      told.abort()
      await running
    },
  )
  await running
  process.exit()
}

/** Resolves once `stopped` is aborted. */
export const whenStopped = (stopped: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stopped.aborted) resolve()
    else stopped.addEventListener('abort', () => resolve(), { once: true })
  })

/** Ends the process with a line that says why. */
export function fail(error: unknown): never {
  print(error instanceof Error ? error.message : error)
  process.exit(1)
}

const print = (words: unknown): void => {
  process.stderr.write(`${plain(scrubText(String(words)))}\n`)
}
