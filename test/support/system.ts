import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { RunningProgram } from '../../src/main/programs.ts'
import { startSystem, type System } from '../../src/main/system.ts'

/**
 * The whole system as `dev` starts it, compiled, with processes, ports and folders of its own: for
 * tests that kill things. Everything is gone after `stop`.
 */
export async function startTestSystem(
  env: Record<string, string> = {},
  timings: 'short' | 'production' = 'short',
): Promise<System & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-system-'))
  // As root, Postgres runs under another user, who must be able to come in; else its data go
  // elsewhere.
  await chmod(folder, 0o755)
  const config = readConfig({
    LETTERLOOM_HOME: folder,
    LETTERLOOM_CACHE: inject('cacheFolder'),
    // Other files' systems run at the same time; a taken port is replaced by a free one anyway.
    PORT: '0',
    POSTGRES_PORT: '0',
    TEMPORAL_PORT: '0',
    TEMPORAL_UI_PORT: '0',
    SANDBOX_PORT: '0',
    ...env,
  })
  const system = await startSystem(config, folder, () => {}, timings)
  return {
    ...system,
    folder,
    stop: async () => {
      await system.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** kill -9, then waits until its supervisor has started it again. */
export async function killAndWait(program: RunningProgram): Promise<void> {
  const pid = program.pid()
  if (pid === undefined) throw new Error('it does not run')
  process.kill(pid, 'SIGKILL')
  while (program.pid() === undefined || program.pid() === pid) await sleep(20)
}
