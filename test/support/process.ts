import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { endWithUs } from './end-with-us.ts'
import { until } from './engine.ts'

const CLI = new URL('../../dist/src/main/cli.js', import.meta.url).pathname

export interface Program {
  child: ChildProcess
  /** Parsed lines of its log. */
  lines(): Record<string, unknown>[]
  text(): string
  /** Port in the log line with this message, once it is there. */
  portOf(words: string): Promise<number>
  /** Resolves to the exit code. */
  ended: Promise<number | null>
}

/** A compiled program as an operator runs it, in production mode with its own keys. */
export function runProgram(command: string, env: Record<string, string>): Program {
  const child = endWithUs(
    spawn(process.execPath, [CLI, command], {
      env: {
        ...process.env,
        LETTERLOOM_KEYS: `k1:${randomBytes(32).toString('base64')}`,
        HOST: '127.0.0.1',
        PORT: '0',
        INTERNAL_PORT: '0',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  )
  let text = ''
  child.stderr.on('data', (data: Buffer) => (text += data.toString()))
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return {
    child,
    lines,
    text: () => text,
    portOf: (words) =>
      until(async () => {
        if (child.exitCode !== null) throw new Error(`${command} ended:\n${text}`)
        return Number(lines().find(({ msg }) => msg === words)?.['port'] ?? 0)
      }),
    ended: once(child, 'exit').then(([code]: (number | null)[]) => code ?? null),
  }
}
