import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PREFIX } from '../support/database-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
/** The first reaches one process, which has to end the others; Ctrl-C reaches all of them. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const
/** Starts a process, and takes longer than this test. */
const LONG = 'test/faults/worker.test.ts'

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Arguments of all processes that work in these folders or were told of them. */
const processesOf = (folders: readonly string[]): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({
      args: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '),
      environment: read(`/proc/${pid}/environ`),
    }))
    .filter((each) => folders.some((one) => `${each.args}${each.environment}`.includes(one)))
    .map(({ args }) => args)

// What runs is read from /proc.
test.skipIf(process.platform !== 'linux').each(SIGNALS)(
  'a run of tests that is interrupted by %s leaves no process and no file',
  { timeout: 600_000 },
  async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'interrupted-'))
    chmodSync(folder, 0o755)
    const { PATH, HOME, LETTERLOOM_CACHE } = process.env
    const run = spawn(process.execPath, [VITEST, 'run', LONG], {
      cwd: ROOT,
      env: { PATH, HOME, TMPDIR: folder, ...(LETTERLOOM_CACHE ? { LETTERLOOM_CACHE } : {}) },
      stdio: 'ignore',
      // As in a terminal: Ctrl-C reaches all processes of the group.
      detached: true,
    })
    const ended = once(run, 'exit')
    // In memory, where there is room for them.
    const databases = `${PREFIX}${run.pid}-`
    const running = () => processesOf([folder, databases]).join('\n')
    const timeout = { timeout: 240_000, interval: 500 }
    await expect.poll(running, timeout).toMatch(/cli\.js api/)
    expect(running()).toMatch(/postgres -D/)
    expect(running()).toMatch(/temporal server/)

    process.kill(signal === 'SIGINT' ? -(run.pid ?? 0) : (run.pid ?? 0), signal)
    await ended
    await expect.poll(running, timeout).toBe('')
    // Vitest keeps a folder of its own.
    expect(readdirSync(folder).filter((name) => name.startsWith('letterloom'))).toEqual([])
    const memory = existsSync('/dev/shm') ? readdirSync('/dev/shm') : []
    expect(memory.filter((name) => name.startsWith(databases))).toEqual([])
    await rm(folder, { recursive: true })
  },
)
