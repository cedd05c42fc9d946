import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface User {
  uid: number
  gid: number
}

/** Folder for root, whose own folders nobody else may enter. */
const ROOTS_STATE = '/var/lib/letterloom'

/**
 * Returns the user of the server. Postgres refuses to run as root, so root runs it as `postgres`,
 * else as `nobody`. Undefined: the current user.
 */
export async function serverUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      const ids = await Promise.all(['-u', '-g'].map((option) => run('id', [option, name])))
      const [uid, gid] = ids.map(({ stdout }) => Number(stdout))
      if (uid !== undefined && gid !== undefined) return { uid, gid }
    } catch {
      continue // no such user
    }
  }
  throw new Error('Postgres does not run as root, and there is no user "postgres" or "nobody"')
}

/**
 * Returns the owner of `data`, if we may choose: a person's folder can be started with sudo, too.
 */
export async function ownerOf(data: string, user: User | undefined): Promise<User | undefined> {
  if (user === undefined) return undefined
  const stats = await stat(data).catch(() => undefined)
  return stats === undefined || stats.uid === 0 ? user : { uid: stats.uid, gid: stats.gid }
}

/**
 * Returns the folder for the server's files: `folder`, or one of the same name elsewhere if the
 * server's user cannot reach it (a checkout under a home of root). Creates it if necessary.
 */
export async function reachableFolder(
  folder: string,
  user: User | undefined,
  log: (line: string) => void,
): Promise<string> {
  await mkdir(folder, { recursive: true })
  if (user === undefined || (await canEnter(folder, user))) return folder
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  const elsewhere = join(ROOTS_STATE, name)
  await mkdir(elsewhere, { recursive: true, mode: 0o755 })
  log(`${folder} cannot be entered by the server's user: the data is in ${elsewhere}`)
  return elsewhere
}

async function canEnter(folder: string, user: User): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd "$0"', folder], { cwd: '/', ...user })
    return true
  } catch {
    return false
  }
}
