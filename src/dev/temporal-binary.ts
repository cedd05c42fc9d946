import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { toolFolder } from './tool-folder.ts'
import { record, verify } from './checksums.ts'
import type { Log } from './children.ts'
import { download, SERVICE } from './download.ts'
import { runJob } from './job.ts'
import { withLock } from './lock.ts'

const run = promisify(execFile)

/** Pinned in tools/temporal/go.mod too. */
const VERSION = '1.8.2'
const STRIPPED = ['-trimpath', '-buildvcs=false']
const MAIN = 'github.com/temporalio/cli/cmd/temporal'
/** Before 1.31 fairness needs more than its own setting. */
const OLDEST_SERVER = [1, 31] as const

interface Where {
  cacheFolder: string
  log: Log
  /** Only tests want others. */
  ways?: typeof WAYS
}

const WAYS = { temporal: 'temporal', go: 'go', service: SERVICE }

/**
 * The `temporal` program, which holds a development server and its UI: the one on PATH, else one
 * that was fetched or built before, else a download, else a build with Go (three minutes, once).
 * Throws one error that says what to install.
 */
export async function findTemporal({ cacheFolder, log, ways = WAYS }: Where): Promise<string> {
  const installed = await findInstalled(ways.temporal, log)
  if (installed !== undefined) return installed
  const binary = join(cacheFolder, `temporal-${VERSION}`, 'temporal')
  if (!existsSync(binary)) {
    await withLock(`${cacheFolder}/temporal-${VERSION}.lock`, log, async () => {
      if (!existsSync(binary)) await obtain(binary, ways, log)
    })
  }
  await verify(binary)
  return binary
}

/** The one on PATH, if it knows all that we start it with. */
async function findInstalled(command: string, log: Log): Promise<string | undefined> {
  try {
    const found = await run('/bin/sh', ['-c', 'command -v "$0"', command])
    const path = found.stdout.trim()
    const { stdout } = await run(path, ['--version'])
    const [, major, minor] = /Server (\d+)\.(\d+)/.exec(stdout) ?? []
    const [oldestMajor, oldestMinor] = OLDEST_SERVER
    if (Number(major) === oldestMajor && Number(minor) >= oldestMinor) return path
    log(`${path} is not used: it has not the server ${OLDEST_SERVER.join('.')} or later`)
  } catch {
    // Exit status 127: not on PATH, the usual case.
  }
  return undefined
}

async function obtain(binary: string, { go, service }: typeof WAYS, log: Log): Promise<void> {
  const sums = join(toolFolder('temporal'), 'SHA256SUMS')
  const reasons: string[] = []
  await mkdir(dirname(binary), { recursive: true })
  const target = `${binary}.new`
  for (const way of [
    () => download({ service, artifact: 'cli', version: VERSION, target, sums, log }),
    () => build(go, target, log),
  ]) {
    try {
      await way()
      await record(target)
      await rename(`${target}.sha256`, `${binary}.sha256`)
      await rename(target, binary)
      return
    } catch (error) {
      reasons.push(reasonOf(error))
      log(`no Temporal that way: ${reasons.at(-1)}`)
    }
  }
  throw new Error(
    'There is no Temporal server to start. Install the Temporal CLI (docs.temporal.io/cli) or Go ' +
      `1.26 or later, or set TEMPORAL_ADDRESS to a running one. Tried: ${reasons.join('; ')}`,
  )
}

async function build(go: string, target: string, log: Log): Promise<void> {
  await run(go, ['version']) // ENOENT at once, before anything is announced
  const version = `-X github.com/temporalio/cli/internal/temporalcli.Version=${VERSION}`
  await runJob({
    title: "building Temporal's development server with Go (once, a few minutes)",
    // SQLite is Go too: no C compiler is needed.
    command: 'env',
    args: [
      'CGO_ENABLED=0',
      go,
      'build',
      ...STRIPPED,
      `-ldflags=-s -w ${version}`,
      '-o',
      target,
      MAIN,
    ],
    cwd: toolFolder('temporal'),
    log,
  })
}

/** What lies deepest: `fetch failed` alone says nothing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}
