import { fork } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../config.ts'

/**
 * V8's settings. A worker without a limit lets garbage grow to some 400 MB; with this one the whole
 * process stays under 300. The size of its claims limits what it holds at once. The API creates
 * much garbage with its answers: more room means fewer collections.
 */
const HEAP: Record<string, string[]> = {
  worker: ['--max-old-space-size=192', '--max-semi-space-size=8'],
  api: ['--max-semi-space-size=64'],
}
const RESTART_MS = 500
const STOP_MS = 15_000

interface Program {
  command: string
  env: Record<string, string>
  logFile: string
  say: (line: string) => void
}

export interface RunningProgram {
  pid(): number | undefined
  stop(): Promise<void>
}

/**
 * Runs one of our own programs as a child and restarts it whenever it dies. It cannot outlive us:
 * it ends when the channel between us closes, also after a kill -9. It has a process group of its
 * own, so that Ctrl-C reaches us alone and everything stops in order.
 */
export function startProgram({ command, env, logFile, say }: Program): RunningProgram {
  const log = createWriteStream(logFile, { flags: 'a' })
  let child: ReturnType<typeof fork> | undefined
  let timer: NodeJS.Timeout | undefined
  let stopping = false

  const start = (): void => {
    const started = fork(entry(), [command], {
      env: childEnvironment(env),
      execArgv: HEAP[command] ?? [],
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child = started
    started.stdout?.pipe(log, { end: false })
    started.stderr?.pipe(log, { end: false })
    started.once('exit', (code, signal) => {
      child = undefined
      if (stopping) return
      say(`${command} ended (${signal ?? `exit ${code}`}); starting it again, log: ${logFile}`)
      timer = setTimeout(start, RESTART_MS)
    })
  }
  start()

  return {
    pid: () => child?.pid,
    stop: async () => {
      stopping = true
      clearTimeout(timer)
      const running = child
      if (!running) return
      const exit = new Promise((resolve) => running.once('exit', resolve))
      running.kill('SIGTERM')
      const patience = setTimeout(() => running.kill('SIGKILL'), STOP_MS)
      await exit
      clearTimeout(patience)
    },
  }
}

/** Returns the compiled command line of this checkout, also if we run from sources. */
function entry(): string {
  const here = fileURLToPath(import.meta.url)
  return here.endsWith('.js')
    ? here.replace(/dev\/programs\.js$/, 'cli.js')
    : fileURLToPath(new URL('../../../dist/src/main/cli.js', import.meta.url))
}
