import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { withLock } from '../../src/main/dev/lock.ts'

const SOURCES = fileURLToPath(new URL('../../tools/client/', import.meta.url))

/**
 * The TypeScript types of an OpenAPI document. Their generator needs an older compiler than ours:
 * it is installed from its own lock file, once a machine, in the cache folder.
 */
export async function clientTypes(document: object, cacheFolder: string): Promise<string> {
  const generator = await installed(cacheFolder)
  const child = spawn(process.execPath, [join(generator, 'generate.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(document))
  const [types, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`the generator of the client's types ended with ${code}`)
  return types
}

async function installed(cacheFolder: string): Promise<string> {
  const files = ['package.json', 'package-lock.json', 'generate.mjs']
  const hash = createHash('sha256')
  for (const file of files) hash.update(await readFile(join(SOURCES, file)))
  const folder = join(cacheFolder, `client-types-${hash.digest('hex').slice(0, 16)}`)
  return withLock(`${folder}.lock`, report, async () => {
    if (await stat(folder).catch(() => undefined)) return folder
    // Under its name only when it is whole: an interrupted installation must not be taken for one.
    const coming = await mkdtemp(`${folder}-`)
    try {
      for (const file of files) await cp(join(SOURCES, file), join(coming, file))
      await promisify(execFile)('npm', ['ci', '--no-audit', '--ignore-scripts'], { cwd: coming })
      await rename(coming, folder)
    } finally {
      await rm(coming, { recursive: true, force: true })
    }
    return folder
  })
}

const report = (line: string): void => void process.stderr.write(`  ${line}\n`)
