import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Log } from './children.ts'
import { claimFolder } from './claim.ts'
import type { Farewell } from './guard.ts'
import { stopOldServer } from './postgres-pid-file.ts'
import { reachableFolder, serverUser } from './postgres-user.ts'

/** Signal that stops both servers. Postgres does not wait for its clients. */
const FAREWELL: Farewell = { signal: 'SIGINT', graceMs: 30_000 }

/**
 * Deletes the data of a development system in `home`, so that the next start begins anew: the data
 * of Postgres and of Temporal, and the API key of their organization. Throws if a running system
 * uses them.
 */
export async function removeData(home: string, log: Log): Promise<void> {
  const postgres = await reachableFolder(resolve(home, 'postgres'), await serverUser(), log)
  await whileClaimed(postgres, async () => {
    const data = join(postgres, 'data')
    await stopOldServer(data, FAREWELL)
    await remove(data)
  })
  const temporal = resolve(home, 'temporal')
  await whileClaimed(temporal, async () => {
    for (const end of ['', '-wal', '-shm']) await remove(join(temporal, `temporal.db${end}`))
  })
  await remove(join(home, 'api-key'))
}

async function whileClaimed(folder: string, work: () => Promise<void>): Promise<void> {
  const claim = await claimFolder(folder, FAREWELL)
  try {
    await work()
  } finally {
    await claim.release()
  }
}

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true })
