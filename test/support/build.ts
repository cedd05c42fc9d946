import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { withLock } from '../../src/main/dev/lock.ts'

const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCES = ['src', 'workflows', 'activities', 'api', 'tools/sandbox']
const SETTINGS = ['package.json', 'tsconfig.json', 'tsconfig.build.json']
const BUNDLE = join(ROOT, 'dist/workflow-bundle.js')
/** Fingerprint of the last build. A build by hand has none and is repeated. */
const STAMP = join(ROOT, 'dist/.built-from')
const LOCK = join(ROOT, 'node_modules/.cache/letterloom-build.lock')

/**
 * Builds the project unless the build is up to date. Returns the path of the workflow bundle.
 *
 * If the build fails, the run fails at its end, but tests without compiled programs still report:
 * the workflows are bundled from their sources.
 */
export async function build(say: (line: string) => void): Promise<string> {
  return withLock(LOCK, say, async () => {
    const sources = await fingerprint()
    if ((await readFile(STAMP, 'utf8').catch(() => '')) === sources) return BUNDLE
    try {
      await run('npm', ['run', '--silent', 'build'], { cwd: ROOT })
      await writeFile(STAMP, sources)
      return BUNDLE
    } catch (error) {
      say(`npm run build failed:\n${outputOf(error)}`)
      process.exitCode = 1
      return bundleSources()
    }
  })
}

/** Changes with any source. If one changes during a build, the build is repeated. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  const files = await Promise.all(
    SOURCES.map(async (folder) => {
      const entries = await readdir(join(ROOT, folder), { recursive: true })
      return entries.map((entry) => join(folder, entry))
    }),
  )
  for (const file of [...files.flat(), ...SETTINGS].sort()) {
    const { mtimeMs, size } = await stat(join(ROOT, file))
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex')
}

async function bundleSources(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT, 'workflows/index.ts'),
    logger: new DefaultLogger('WARN'),
  })
  const file = join(ROOT, 'node_modules/.cache/letterloom-workflows.js')
  await writeFile(file, code)
  return file
}

const outputOf = (error: unknown): string => {
  const { stdout, stderr } = error as { stdout?: string; stderr?: string }
  return `${stdout ?? ''}${stderr ?? ''}`.trim() || String(error)
}
