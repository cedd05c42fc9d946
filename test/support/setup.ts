import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, inject } from 'vitest'
import { useCompiledThread } from '../../src/mail/threads.ts'
import { cpuSeconds } from './cpu-time.ts'
import { seed } from './size.ts'

/**
 * Runs before each test file. Files share a process, so this restores the environment after each
 * file. The process also ends with its parent.
 */
const MINE = Symbol.for('letterloom.test.environment')
const shared = globalThis as { [MINE]?: NodeJS.ProcessEnv }
const environment = (shared[MINE] ??= firstOf())

function firstOf(): NodeJS.ProcessEnv {
  // Vitest's process waits for the end of the file otherwise.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  return { ...process.env }
}

for (const name of Object.keys(process.env)) {
  if (!(name in environment)) delete process.env[name]
}
Object.assign(process.env, environment)

fc.configureGlobal({ seed })

// Where the project does not build, threads start from sources.
const thread = inject('renderThread')
useCompiledThread(existsSync(thread) ? pathToFileURL(thread) : undefined)

// Rows are kept by the day of UTC: a file does not begin in the last minute of one.
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
beforeAll(async () => {
  const leftMs = DAY_MS - (Date.now() % DAY_MS)
  if (leftMs < MINUTE_MS) await sleep(leftMs)
})

/** Cost of the file for this process and its ended children, see plain-reporter.ts. */
const before = cpuSeconds()
// oxlint-disable-next-line no-empty-pattern -- Vitest reads the names in it
afterAll(({}, suite) => {
  suite.file.meta.cpuSeconds = cpuSeconds() - before
})
