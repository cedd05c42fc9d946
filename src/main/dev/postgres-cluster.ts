import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './postgres-binaries.ts'
import type { User } from './postgres-user.ts'

const run = promisify(execFile)

/**
 * Superuser of the development cluster. Row-level security does not apply to it, so tests must
 * change their role.
 */
export const ROLE = 'letterloom'
/** First version with the builtin locale provider. */
const BUILTIN_LOCALES = 17

interface Cluster {
  folder: string
  binaries: Binaries
  user: User | undefined
}

/**
 * Creates the cluster `folder`/data if it does not exist. Returns the password of `ROLE`, which is
 * stored beside it in a file that only we can read.
 */
export async function createCluster({ folder, binaries, user }: Cluster): Promise<string> {
  const data = join(folder, 'data')
  const file = join(folder, 'password')
  if (existsSync(data)) return readPassword(file)
  const password = randomBytes(24).toString('base64url')
  await writeFile(file, password, { mode: 0o600 })
  // Made aside: a cluster cut off half way must not look like one.
  const newFolder = join(folder, 'data.new')
  const passwordForServer = join(folder, 'password.new')
  await rm(newFolder, { recursive: true, force: true })
  await mkdir(newFolder, { mode: 0o700 })
  await writeFile(passwordForServer, password, { mode: 0o600 })
  if (user !== undefined) {
    await chown(newFolder, user.uid, user.gid)
    await chown(passwordForServer, user.uid, user.gid)
  }
  try {
    await initialize({ binaries, user, newFolder, passwordForServer })
  } finally {
    await rm(passwordForServer, { force: true })
  }
  await chmod(newFolder, 0o700)
  await rename(newFolder, data)
  return password
}

async function readPassword(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`The database's password cannot be read: ${file}`, { cause: error })
  }
}

interface Initialization {
  binaries: Binaries
  user: User | undefined
  newFolder: string
  passwordForServer: string
}

async function initialize({ binaries, user, newFolder: fresh, passwordForServer }: Initialization) {
  const args = [
    `--pgdata=${fresh}`,
    `--username=${ROLE}`,
    `--pwfile=${passwordForServer}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...localeOf(binaries.major),
  ]
  try {
    await run(join(binaries.bin, 'initdb'), args, { cwd: '/', env: {}, ...user })
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
    throw new Error(`initdb failed: ${output.trim()}`, { cause: error })
  }
}

/**
 * Returns options for a locale that sorts by code point, the same on every system and in every
 * version, and still knows the case of letters beyond ASCII.
 */
function localeOf(major: number): string[] {
  if (major >= BUILTIN_LOCALES) {
    return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  }
  return ['--locale=C', `--lc-ctype=${process.platform === 'darwin' ? 'UTF-8' : 'C.UTF-8'}`]
}
