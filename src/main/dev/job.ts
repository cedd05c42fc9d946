import { type Log, startChild } from './children.ts'

interface Job {
  title: string
  command: string
  args: readonly string[]
  log: Log
  env?: Record<string, string>
  cwd?: string
}

const NEWS_MS = 5_000
const FAREWELL = { signal: 'SIGTERM', graceMs: 5_000 } as const

/** Runs a long command, and reports every few seconds that it still runs. Throws if it fails. */
export async function runJob({ title, log, ...options }: Job): Promise<void> {
  const began = Date.now()
  const elapsed = (): string => `${Math.round((Date.now() - began) / 1_000)} s`
  const child = await startChild({ ...options, farewell: FAREWELL, log: () => {} })
  log(`${title} …`)
  const news = setInterval(() => log(`${title}: ${elapsed()}`), NEWS_MS)
  const { code, signal } = await child.exited
  clearInterval(news)
  if (code === 0) {
    log(`${title}: done in ${elapsed()}`)
    return
  }
  throw new Error(`${title} failed (${signal ?? `exit status ${code}`}):\n${child.lastLines()}`)
}
