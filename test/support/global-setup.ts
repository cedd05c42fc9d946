import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../../src/config.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { findTemporal, startTemporal } from '../../src/main/dev/temporal.ts'
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts'
import { build } from './build.ts'
import { makeDatabaseFolder } from './database-folder.ts'
import { makeTemplate } from './template.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server for test databases, see support/database.ts. */
    databaseUrl: string
    /** The database that every test file clones. */
    templateDatabase: string
    temporalAddress: string
    /** Path of the built workflow code. */
    workflowBundle: string
    /** Path of the built code of a rendering thread. */
    renderThread: string
    cacheFolder: string
  }
}

type Stop = () => Promise<void>

/** Time for servers to end after an interruption. Then they are killed with us. */
const FAREWELL_MS = 60_000

const say = (line: string): void => void process.stderr.write(`  ${line}\n`)

/** Resources of all test files: one Postgres, one Temporal server, one build. All are temporary. */
export default async function setup(project: TestProject): Promise<Stop> {
  const config = readConfig()
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-test-'))
  // As root, Postgres and some tests run under another user, who writes here as in any such folder.
  await chmod(folder, 0o1777)
  // What tests write is gone with it, also when they are interrupted.
  process.env['TMPDIR'] = folder
  const stops: Stop[] = []
  let stopping: Promise<void> | undefined
  const stop: Stop = () =>
    (stopping ??= (async () => {
      for (const each of stops.toReversed()) await each()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    })())
  endOnSignals(stop)
  try {
    const { cacheFolder } = config.dev
    const [databaseUrl, temporalAddress] = await Promise.all([
      config.databaseUrl ?? ownPostgres(folder, stops),
      ownTemporal(folder, cacheFolder, stops),
    ])
    const template = await makeTemplate(databaseUrl)
    stops.push(template.drop)
    // A copy: somebody may build again while these tests run.
    const workflowBundle = join(folder, 'workflow-bundle.js')
    const built = await build(say)
    await copyFile(built, workflowBundle)
    project.provide('databaseUrl', databaseUrl)
    project.provide('templateDatabase', template.name)
    project.provide('temporalAddress', temporalAddress)
    project.provide('workflowBundle', workflowBundle)
    project.provide('renderThread', join(dirname(built), 'src/mail/thread.js'))
    project.provide('cacheFolder', cacheFolder)
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Stops the servers and removes the folder when the run is interrupted. Vitest's own listeners
 * would end this process within a millisecond.
 */
function endOnSignals(stop: Stop): void {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.removeAllListeners(signal)
    process.once(signal, () => {
      setTimeout(() => process.exit(128 + number), FAREWELL_MS).unref()
      void stop().finally(() => process.exit(128 + number))
    })
  }
}

async function ownPostgres(folder: string, stops: Stop[]): Promise<string> {
  const databases = await makeDatabaseFolder(folder)
  stops.push(databases.remove)
  const server = await startPostgres({
    folder: join(databases.path, 'postgres'),
    port: await freePort(),
    log: () => {},
    // Nothing here is to survive a power cut, and no statement runs often enough to be compiled.
    settings: { fsync: 'off', full_page_writes: 'off', jit: 'off', max_wal_size: '1GB' },
  })
  stops.push(server.stop)
  return server.url
}

async function ownTemporal(folder: string, cacheFolder: string, stops: Stop[]): Promise<string> {
  const server = await startTemporal({
    binary: await findTemporal({ cacheFolder, log: say }),
    folder: join(folder, 'temporal'),
    port: await freePort(),
    namespace: 'default',
    searchAttributes: SEARCH_ATTRIBUTES,
    log: () => {},
  })
  stops.push(server.stop)
  return server.address
}
