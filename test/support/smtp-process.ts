import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect as openSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../src/config.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import { newKeyringText } from '../../src/keys/tokens.ts'

const CLI = fileURLToPath(new URL('../../dist/src/main/cli.js', import.meta.url))
const READY_TRIES = 1_200
const READY_PAUSE_MS = 50

export interface SmtpProcess {
  port: number
  /** kill -9, and a new one on the same port. */
  killAndRestart(): Promise<void>
  stop(): Promise<number | null>
}

/** `letterloom smtp`, compiled, in a process of its own, in plain text on a port of its own. */
export async function startSmtpProcess(databaseUrl: string): Promise<SmtpProcess> {
  const port = await freePort()
  const keys = newKeyringText()
  let child = await start()

  async function start(): Promise<ChildProcess> {
    const started = fork(CLI, ['smtp'], {
      env: childEnvironment({
        DATABASE_URL: loginUrl(databaseUrl, 'letterloom_api'),
        LETTERLOOM_KEYS: keys,
        LETTERLOOM_MODE: 'development',
        LOG_LEVEL: 'warn',
        HOST: '127.0.0.1',
        SMTP_PORT: String(port),
      }),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    for (let tries = 0; !(await greets(port)); tries++) {
      const isOver = started.exitCode !== null
      if (tries === READY_TRIES || isOver) throw new Error('mail submission did not start')
      await sleep(READY_PAUSE_MS)
    }
    return started
  }

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const exit = once(child, 'exit')
    child.kill(signal)
    const [code] = (await exit) as [number | null]
    return code
  }
  return {
    port,
    killAndRestart: async () => {
      await end('SIGKILL')
      child = await start()
    },
    stop: () => end('SIGTERM'),
  }
}

/** Returns true when a server greets at a port. */
const greets = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = openSocket(port, '127.0.0.1')
    const tell = (isThere: boolean): void => {
      resolve(isThere)
      socket.destroy()
    }
    socket.once('data', () => tell(true))
    socket.once('error', () => tell(false))
    socket.once('close', () => tell(false))
  })
