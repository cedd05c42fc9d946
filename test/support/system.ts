import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { RunningProgram } from '../../src/main/dev/programs.ts'
import { startSystem, type System } from '../../src/main/dev/system.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import { openNamespace } from './engine.ts'

export type TestSystem = System & {
  folder: string
  /** See `TestDatabase`. */
  admin: TestDatabase['admin']
  /** Temporal namespace with this system's workers only. */
  namespace: string
}

/**
 * The whole system as `dev` starts it, compiled, for tests that kill programs. It has its own
 * programs, ports and folder, and its own database and namespace on the servers that all test files
 * share. Everything is removed by `stop`.
 */
export async function startTestSystem(
  env: Record<string, string> = {},
  timings: 'short' | 'production' = 'short',
): Promise<TestSystem> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-system-'))
  const database = await createDatabase()
  const { client, close } = await openNamespace()
  const { namespace } = client.options
  await close()
  const config = readConfig({
    LETTERLOOM_HOME: folder,
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_NAMESPACE: namespace,
    // Other files' systems run at the same time.
    PORT: '0',
    SANDBOX_PORT: '0',
    ...env,
  })
  const system = await startSystem(config, folder, () => {}, { timings })
  return {
    ...system,
    folder,
    admin: database.admin,
    namespace,
    stop: async () => {
      await system.stop()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** kill -9 once it runs, then waits until its supervisor has restarted it. */
export async function killAndWait(program: RunningProgram): Promise<void> {
  let pid = program.pid()
  // Another test may have killed it a moment ago.
  for (; pid === undefined; pid = program.pid()) await sleep(20)
  process.kill(pid, 'SIGKILL')
  while (program.pid() === undefined || program.pid() === pid) await sleep(20)
}
