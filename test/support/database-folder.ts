import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { access, constants, rm, statfs } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { isFull } from './size.ts'

/** The file system in memory that Linux has. */
const MEMORY = '/dev/shm'
/** What the databases of a run may take there, and what is to be left besides, bytes. */
const MOST_BYTES = 6_000_000_000
/** Of the folder's name; the number of the run's process follows. */
export const PREFIX = 'letterloom-databases-'

/**
 * Where the databases of a run lie: in memory where there is room, else in `folder`. Each clone is
 * 1,300 files; on a disk it costs as much to make and delete them as all other work of a short
 * test.
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

/** Memory that runs hold which were killed; what belongs to another user stays. */
async function removeLeftOvers(): Promise<void> {
  for (const name of readdirSync(MEMORY)) {
    const [pid] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('-') : []
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    await rm(join(MEMORY, name), { recursive: true, force: true }).catch(() => {})
  }
}
