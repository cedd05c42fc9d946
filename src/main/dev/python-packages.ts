import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runJob } from './job.ts'
import { withLock } from './lock.ts'
import { toolFolder } from './tool-folder.ts'

const run = promisify(execFile)

/** Interpreters for which the requirements have hashes. */
const INTERPRETERS = ['python3.11', 'python3.12', 'python3.13', 'python3']
const GOOD_VERSION = /^Python 3\.1[1-3]\./

interface ToolPackages {
  /** Folder under `tools/` with the requirements.txt. */
  tool: string
  title: string
  cacheFolder: string
  log: (line: string) => void
}

/**
 * Returns the `bin` folder of a virtual environment, created once under the cache folder, with the
 * hashed packages of the tool's requirements.txt only, or the reason why this machine cannot have
 * it.
 */
export async function pythonPackages({
  tool,
  title,
  cacheFolder,
  log,
}: ToolPackages): Promise<{ bin: string } | { missing: string }> {
  const python = await findPython()
  if (python === undefined) return { missing: 'no python (3.11 to 3.13)' }
  const requirements = join(toolFolder(tool), 'requirements.txt')
  const hash = createHash('sha256').update(python).update(readFileSync(requirements)).digest('hex')
  const folder = join(cacheFolder, `${tool}-${hash.slice(0, 12)}`)
  const complete = join(folder, 'complete')
  return withLock(`${folder}.lock`, log, async () => {
    if (!existsSync(complete)) {
      await rm(folder, { recursive: true, force: true })
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
      const only = ['--require-hashes', '--only-binary', ':all:', '--no-deps', '-r', requirements]
      try {
        await runJob({
          title: 'make a Python environment',
          command: python,
          args: ['-m', 'venv', folder],
          log,
        })
        await runJob({
          title: `install ${title}`,
          command: join(folder, 'bin/python'),
          args: [...pip, ...only],
          log,
        })
      } catch (error) {
        return { missing: `no packages: ${error instanceof Error ? error.message : String(error)}` }
      }
      await writeFile(complete, '')
    }
    return { bin: join(folder, 'bin') }
  })
}

async function findPython(): Promise<string | undefined> {
  for (const each of INTERPRETERS) {
    const version = await run(each, ['--version']).catch(() => undefined)
    if (version !== undefined && GOOD_VERSION.test(version.stdout)) return each
  }
  return undefined
}
