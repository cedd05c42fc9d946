import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runJob } from '../../src/dev/job.ts'
import { withLock } from '../../src/dev/lock.ts'
import { toolFolder } from '../../src/dev/tool-folder.ts'

const run = promisify(execFile)

/** Those that requirements.txt has hashes for. */
const INTERPRETERS = ['python3.11', 'python3.12', 'python3.13', 'python3']
const GOOD_VERSION = /^Python 3\.1[1-3]\./

type Found = { schemathesis: string } | { missing: string }

/**
 * The path of Schemathesis, installed once into a virtual environment under the cache folder, from
 * packages with the hashes of requirements.txt only; or why it cannot be had on this machine.
 */
export async function findSchemathesis(
  cacheFolder: string,
  log: (line: string) => void,
): Promise<Found> {
  const python = await findPython()
  if (python === undefined) return { missing: 'no python (3.11 to 3.13)' }
  const requirements = join(toolFolder('fuzz'), 'requirements.txt')
  const hash = createHash('sha256').update(python).update(readFileSync(requirements)).digest('hex')
  const folder = join(cacheFolder, `fuzz-${hash.slice(0, 12)}`)
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
          title: 'install Schemathesis',
          command: join(folder, 'bin/python'),
          args: [...pip, ...only],
          log,
        })
      } catch (error) {
        return { missing: `no packages: ${error instanceof Error ? error.message : String(error)}` }
      }
      await writeFile(complete, '')
    }
    return { schemathesis: join(folder, 'bin/schemathesis') }
  })
}

async function findPython(): Promise<string | undefined> {
  for (const each of INTERPRETERS) {
    const version = await run(each, ['--version']).catch(() => undefined)
    if (version !== undefined && GOOD_VERSION.test(version.stdout)) return each
  }
  return undefined
}
