import { execFile } from 'node:child_process'
import { readFile, readlink, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stopLeftOver } from './claim.ts'
import type { Farewell } from './guard.ts'
import { identify } from './processes.ts'

const run = promisify(execFile)

/** Larger than the process numbers of every system. */
const NOBODY = 999_999_999
const PID_LINE = 0
const STATUS_LINE = 7

const fileOf = (data: string): string => join(data, 'postmaster.pid')

/** Reads the server's own file. `status` is `ready` as soon as it accepts connections. */
export async function readPidFile(data: string): Promise<{ pid?: number; status?: string }> {
  const text = await readFile(fileOf(data), 'utf8').catch(() => undefined)
  if (text === undefined) return {} // none: it is down, or just starting
  const lines = text.split('\n')
  return { pid: Number(lines[PID_LINE]), status: lines[STATUS_LINE]?.trim() ?? '' }
}

/**
 * Stops an earlier server on a data folder: one that was started by hand, or left by a process that
 * died.
 *
 * Then removes the number of a dead process from the server's file. Postgres itself only checks
 * whether the number is in use, and refuses to start if it is a zombie's in a container whose first
 * process collects nobody, or a stranger's after a reboot. The rest of the file stays: by the
 * shared memory it names, Postgres knows whether backends of a killed server are still writing.
 */
export async function stopOldServer(data: string, farewell: Farewell): Promise<void> {
  const { pid } = await readPidFile(data)
  if (pid === undefined) return
  const identity = await identify(pid)
  if (identity !== undefined && (await worksOn(pid, data))) {
    await stopLeftOver(identity, farewell)
    return
  }
  const text = await readFile(fileOf(data), 'utf8')
  await writeFile(fileOf(data), text.replace(/^-?\d+/, String(NOBODY)))
}

async function worksOn(pid: number, data: string): Promise<boolean> {
  try {
    if (process.platform === 'linux') {
      return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(data))
    }
    const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)])
    return stdout.includes(data)
  } catch {
    return false // gone, or of another user: then not ours
  }
}
