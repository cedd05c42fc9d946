import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requireSha256, sha256 } from '../../src/main/dev/checksums.ts'
import type { Log } from '../../src/main/dev/children.ts'
import { runJob } from '../../src/main/dev/job.ts'
import { withLock } from '../../src/main/dev/lock.ts'

const run = promisify(execFile)

/** Version of the images in docker-compose.yml. A test compares them. */
export const SERVER_VERSION = '1.31.2'

const MODULE = 'go.temporal.io/server'
/** Names of the programs in Go and in the images. */
const PROGRAMS = { server: 'temporal-server', sql: 'temporal-sql-tool' } as const

/**
 * Returns a folder with the images' programs, `temporal-server` and `temporal-sql-tool`. They are
 * built with Go once (three minutes) and kept in `cacheFolder`.
 */
export async function findTemporalServer(cacheFolder: string, log: Log): Promise<string> {
  const folder = join(cacheFolder, `temporal-server-${SERVER_VERSION}`)
  await withLock(`${folder}.lock`, log, async () => {
    if (!existsSync(folder)) await build(folder, log)
  })
  for (const name of Object.values(PROGRAMS)) await verify(join(folder, name))
  return folder
}

const recordOf = (file: string): string => `${file}.sha256`

/** Stores the checksum of a file that was built here, for `verify`. */
async function record(file: string): Promise<void> {
  await writeFile(recordOf(file), await sha256(file))
}

/** Throws if the file was changed after `record`. */
async function verify(file: string): Promise<void> {
  const expected = await readFile(recordOf(file), 'utf8').catch(() => 'no recorded sum')
  await requireSha256(file, expected, 'Delete it, and it is built again.')
}

async function build(folder: string, log: Log): Promise<void> {
  const go = await findGo()
  const newFolder = `${folder}.new`
  await rm(newFolder, { recursive: true, force: true })
  await mkdir(newFolder, { recursive: true })
  await runJob({
    title: "building Temporal's server with Go (once, a few minutes)",
    command: 'env',
    args: [
      ...['CGO_ENABLED=0', `GOBIN=${newFolder}`, go, 'install'],
      ...['-trimpath', '-buildvcs=false', '-ldflags=-s -w'],
      `${MODULE}/cmd/server@v${SERVER_VERSION}`,
      `${MODULE}/cmd/tools/sql@v${SERVER_VERSION}`,
    ],
    log,
  })
  for (const [built, name] of Object.entries(PROGRAMS)) {
    await rename(join(newFolder, built), join(newFolder, name))
    await record(join(newFolder, name))
  }
  await rename(newFolder, folder)
}

async function findGo(): Promise<string> {
  for (const go of ['go', '/usr/local/go/bin/go']) {
    const goVersion = await run(go, ['version']).catch(() => undefined)
    if (goVersion) return go
  }
  throw new Error('Go 1.26 or later is needed to build the Temporal server')
}
