import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { identify } from '../../src/main/dev/processes.ts'
import { endWithUs } from './end-with-us.ts'

interface Started {
  /** Output of the starter. `pid` is the server's. */
  said: { pid: number; url?: string }
  /** Kills the starter (not the server) as kill -9 or a lack of memory would. */
  kill: () => Promise<void>
}

const PROGRAM = fileURLToPath(new URL('./starter.ts', import.meta.url))
const PASS_MS = 20

/** Starts a server from another Node process. */
export async function startFromElsewhere(
  kind: 'postgres' | 'temporal' | 'child',
  options: object,
  user: { uid?: number; gid?: number } = {},
): Promise<Started> {
  const starter = endWithUs(
    spawn(process.execPath, ['--import', 'tsx', PROGRAM, kind, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    }),
  )
  const errors: string[] = []
  createInterface({ input: starter.stderr }).on('line', (line) => errors.push(line))
  const exit = once(starter, 'exit')
  const line = once(createInterface({ input: starter.stdout }), 'line')
  const first = await Promise.race([line, exit.then(() => undefined)])
  if (first === undefined) throw new Error(`The starter ended:\n${errors.join('\n')}`)
  return {
    said: JSON.parse(first[0]) as Started['said'],
    kill: async () => {
      starter.kill('SIGKILL')
      await exit
    },
  }
}

/** Waits until a process has ended. False: it still runs after `ms`. */
export async function ends(pid: number, ms = 60_000): Promise<boolean> {
  const end = Date.now() + ms
  while ((await identify(pid)) !== undefined) {
    if (Date.now() > end) return false
    await sleep(PASS_MS)
  }
  return true
}
