import { readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Farewell } from './guard.ts'
import { tryLock } from './lock.ts'
import { type Identity, identify, isRunning, signal } from './processes.ts'

export interface Claim {
  /**
   * Records the server that was started on the folder, so that a successor can find and stop it.
   */
  note: (pid: number) => Promise<void>
  release: () => Promise<void>
}

const PASS_MS = 50
/** Time after which a process that does not end after a kill counts as not ours. */
const KILLED_MS = 5_000

/**
 * Claims a server's data folder for this process. Two servers on one folder would destroy it, so a
 * folder of a live process is an error. Two servers on one folder would destroy it, so it is an
 * error if the process that has it lives. What a dead predecessor left running is stopped first;
 * its reaper is most likely doing so already.
 */
export async function claimFolder(folder: string, farewell: Farewell): Promise<Claim> {
  const lock = await tryLock(join(folder, 'owner'))
  if (lock === undefined) {
    throw new Error(`${folder} is in use by another process, which is still running: stop it first`)
  }
  const noteFile = join(folder, 'server')
  const leftOver = read(noteFile)
  if (leftOver !== undefined) await stopLeftOver(leftOver, farewell)
  return {
    note: async (pid) => writeFileSync(noteFile, JSON.stringify(await identify(pid))),
    release: async () => {
      await rm(noteFile, { force: true })
      await lock.unlock()
    },
  }
}

/**
 * Stops a process that is not our child. Throws if it cannot, since nothing may be started then.
 */
export async function stopLeftOver(
  identity: Identity,
  { signal: name, graceMs }: Farewell,
): Promise<void> {
  const end = Date.now() + graceMs
  if (await isRunning(identity)) signal(identity.pid, name)
  while (await isRunning(identity)) {
    if (Date.now() > end + KILLED_MS) {
      throw new Error(`Process ${identity.pid} works on this folder and cannot be stopped`)
    }
    if (Date.now() > end) signal(identity.pid, 'SIGKILL')
    await sleep(PASS_MS)
  }
}

function read(file: string): Identity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Identity
  } catch {
    return undefined // the usual case: whoever was here cleaned up
  }
}
