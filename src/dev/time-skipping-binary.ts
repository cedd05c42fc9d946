import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toolFolder } from './tool-folder.ts'
import { readSums, record, sha256, verify } from './checksums.ts'
import type { Log } from './children.ts'
import { download, SERVICE } from './download.ts'
import { runJob } from './job.ts'
import { withLock } from './lock.ts'

const run = promisify(execFile)

/** Pinned in tools/temporal-test-server/pom.xml too. */
const VERSION = '1.38.0'
const TOOL = 'temporal-test-server'
const MAIN = 'io.temporal.testserver.TestServer'
/** Starts in under a second: it runs for one test file, not for days. */
const JVM = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xms64m', '-Xmx384m']

interface Where {
  cacheFolder: string
  log: Log
  /** Only tests want others. */
  ways?: typeof WAYS
}

const WAYS = { java: 'java', maven: 'mvn', service: SERVICE }

/** What to run; the port is the next argument. */
export interface Program {
  command: string
  args: readonly string[]
}

/**
 * Temporal's time-skipping test server: its jars on an installed Java, fetched with Maven once,
 * else the program that the SDK downloads. Throws one error that says what to install.
 */
export async function findTimeSkippingServer({
  cacheFolder,
  log,
  ways: { java, maven, service } = WAYS,
}: Where): Promise<Program> {
  const jars = join(cacheFolder, `${TOOL}-${VERSION}`)
  const binary = join(cacheFolder, `${TOOL}-${VERSION}-native`, TOOL)
  const hasJava = await answers(java, '-version')
  if (hasJava && !existsSync(jars) && (await answers(maven, '-v'))) {
    await withLock(`${jars}.lock`, log, async () => {
      if (!existsSync(jars)) await fetchJars(jars, maven, log)
    })
  }
  if (hasJava && existsSync(jars)) {
    await checkJars(jars)
    return { command: java, args: [...JVM, '-cp', join(jars, '*'), MAIN] }
  }
  if (!existsSync(binary)) {
    await withLock(`${binary}.lock`, log, async () => {
      if (!existsSync(binary)) await fetchBinary(binary, service, hasJava, log)
    })
  }
  await verify(binary)
  return { command: binary, args: [] }
}

async function answers(command: string, option: string): Promise<boolean> {
  try {
    await run(command, [option])
    return true
  } catch {
    return false // ENOENT, or macOS' `java` that only says where to buy one
  }
}

async function fetchJars(jars: string, maven: string, log: Log): Promise<void> {
  const fresh = `${jars}.new`
  await rm(fresh, { recursive: true, force: true })
  await runJob({
    title: "fetching the jars of Temporal's test server with Maven (once)",
    command: maven,
    args: [
      '--batch-mode',
      '--quiet',
      `--file=${join(toolFolder(TOOL), 'pom.xml')}`,
      'dependency:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${fresh}`,
    ],
    log,
  })
  const sums = await readSums(join(toolFolder(TOOL), 'SHA256SUMS'))
  const names = await readdir(fresh)
  const wrong = [...sums.keys()].filter((name) => !names.includes(name))
  for (const name of names) {
    if ((await sha256(join(fresh, name))) !== sums.get(name)) wrong.push(name)
  }
  if (wrong.length > 0) {
    throw new Error(`Maven brought other jars than the known ones: ${wrong.join(', ')}`)
  }
  await writeFile(`${jars}.list`, await listing(fresh))
  await rename(fresh, jars)
}

/**
 * Their sums were checked when they came: whether anybody touched them since can be seen faster.
 */
async function checkJars(jars: string): Promise<void> {
  const before = await readFile(`${jars}.list`, 'utf8').catch(() => undefined)
  if (before === (await listing(jars))) return
  throw new Error(`${jars} was changed since it was fetched. Delete it, and it is fetched again`)
}

async function listing(folder: string): Promise<string> {
  const names = (await readdir(folder)).sort()
  const lines = names.map(async (name) => {
    const { size, mtimeMs } = await stat(join(folder, name))
    return `${name} ${size} ${mtimeMs}\n`
  })
  return (await Promise.all(lines)).join('')
}

async function fetchBinary(
  binary: string,
  service: string,
  hasJava: boolean,
  log: Log,
): Promise<void> {
  const sums = join(toolFolder(TOOL), 'SHA256SUMS')
  const target = `${binary}.new`
  try {
    await download({ service, artifact: TOOL, version: VERSION, target, sums, log })
  } catch (cause) {
    const missing = hasJava ? 'Maven' : 'a JDK of 17 or later, and Maven'
    throw new Error(
      `There is no time-skipping Temporal server, and it cannot be downloaded. Install ${missing}`,
      { cause },
    )
  }
  await record(target)
  await rename(`${target}.sha256`, `${binary}.sha256`)
  await rename(target, binary)
}
