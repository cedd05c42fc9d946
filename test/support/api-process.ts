import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../src/config.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { newKeyringText } from '../../src/keys/tokens.ts'
import { cpuSecondsOf } from './cpu-time.ts'
import { loginUrl } from '../../src/store/db/logins.ts'

export interface ApiProcess {
  url: string
  port: number
  /** Bytes in use in its heap and its buffers after a collection. */
  memory(): Promise<number>
  /** Seconds of processor time so far. */
  cpuSeconds(): number
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
}

const CLI = fileURLToPath(new URL('../../dist/src/main/cli.js', import.meta.url))
/** Loaded before the program. Answers how much memory is in use. */
const PROBE = `data:text/javascript,${encodeURIComponent(`
process.on('message', () => {
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  process.send(heapUsed + external)
})`)}`
const READY_TRIES = 1_200
const READY_PAUSE_MS = 50

/**
 * `letterloom api`, compiled, in its own process on its own port. `databaseUrl` is that of a test's
 * database.
 */
export async function startApiProcess(
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<ApiProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = fork(CLI, ['api'], {
    execArgv: ['--expose-gc', '--import', PROBE],
    env: childEnvironment({
      DATABASE_URL: loginUrl(databaseUrl, 'letterloom_api'),
      LETTERLOOM_KEYS: newKeyringText(),
      LETTERLOOM_MODE: 'development',
      LOG_LEVEL: 'warn',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
      ...env,
    }),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  for (let tries = 0; !(await isUp(url)); tries++) {
    if (tries === READY_TRIES || child.exitCode !== null) throw new Error('the API did not start')
    await sleep(READY_PAUSE_MS)
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }
  return {
    url,
    port,
    memory: async () => {
      child.send('memory')
      const [bytes] = (await once(child, 'message')) as [number]
      return bytes
    },
    cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
