import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../../src/config.ts'
import { freePort } from '../../src/dev/ports.ts'
import { startPostgres } from '../../src/dev/postgres.ts'
import { findTemporal, startTemporal } from '../../src/dev/temporal.ts'
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts'
import { build } from './build.ts'
import { makeTemplate } from './template.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server on which databases may be made: see support/database.ts. */
    databaseUrl: string
    /** The database that every test file clones. */
    templateDatabase: string
    temporalAddress: string
    /** Path of the built workflow code. */
    workflowBundle: string
    cacheFolder: string
  }
}

type Stop = () => Promise<void>

const say = (line: string): void => void process.stderr.write(`  ${line}\n`)

/**
 * What all test files share: one Postgres, one Temporal server, one build. All of it is thrown
 * away.
 */
export default async function setup(project: TestProject): Promise<Stop> {
  const config = readConfig()
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-test-'))
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
  const stops: Stop[] = []
  const stop: Stop = async () => {
    for (const each of stops.toReversed()) await each()
    await rm(folder, { recursive: true, force: true })
  }
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
    await copyFile(await build(say), workflowBundle)
    project.provide('databaseUrl', databaseUrl)
    project.provide('templateDatabase', template.name)
    project.provide('temporalAddress', temporalAddress)
    project.provide('workflowBundle', workflowBundle)
    project.provide('cacheFolder', cacheFolder)
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}

async function ownPostgres(folder: string, stops: Stop[]): Promise<string> {
  const server = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(),
    log: () => {},
    // Nothing here is to survive a power cut.
    settings: { fsync: 'off', full_page_writes: 'off' },
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
