import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { access, constants, rm, statfs } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { isFull } from './size.ts'

/** Linux' file system in memory. */
const MEMORY = '/dev/shm'
/** Bytes that a run's databases may use there, and bytes to leave free. */
const MOST_BYTES = 6_000_000_000
/** Prefix of the folder's name. The process id of the run follows. */
export const PREFIX = 'letterloom-databases-'

/**
 * Folder of a run's databases: in memory if there is room, else in `folder`. Each clone has 1,300
 * files. On a disk, creating and deleting them costs as much as the rest of a short test.
 */
export async function makeDatabaseFolder(folder: string) {
  if (isFull || !(await hasRoom())) return { path: folder, remove: async () => {} }
  await removeLeftOvers()
  const path = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`))
  // As root, Postgres runs under another user.
  chmodSync(path, 0o755)
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}

async function hasRoom(): Promise<boolean> {
  const isWritable = await access(MEMORY, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable) return false
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , type, options = ''] = mounts.map((line) => line.split(' ')).find(isMemory) ?? []
  // A packaged Postgres may have to be started from there.
  if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false
  const { bavail, bsize } = await statfs(MEMORY)
  return Math.min(bavail * bsize, freemem()) > 2 * MOST_BYTES
}

const isMemory = ([, place]: string[]): boolean => place === MEMORY

/** Frees memory of killed runs. Folders of other users stay. */
async function removeLeftOvers(): Promise<void> {
  for (const name of readdirSync(MEMORY)) {
    const [pid] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-') : []
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    await rm(join(MEMORY, name), { recursive: true, force: true }).catch(() => {})
  }
}
