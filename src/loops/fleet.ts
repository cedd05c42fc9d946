import { uuidv7 } from '../runtime/ids.ts'
import type { Sql } from '../store/db/sql.ts'
import * as fleetLeases from '../store/platform/fleet-leases.ts'
import { type Log, startLoop } from './loop.ts'

/** The lease is held for longer than its holder takes to renew it. */
const ROUNDS_PER_LEASE = 3

interface Deps {
  sql: Sql
  log: Log
  /** A worker that died is replaced after so long. */
  holdMs: number
  /** Starts the loops. */
  start: () => readonly { stop(): Promise<void> }[]
}

/**
 * Runs loops in one worker of the fleet: another one starts them when the holder of their lease is
 * gone. Each of these loops is safe to run twice at once, so that the lease saves work and decides
 * nothing: a holder that cannot renew it since Postgres is away goes on.
 */
export function startOnceInFleet({ sql, log, holdMs, start }: Deps): { stop(): Promise<void> } {
  const lease = { name: 'loops', workerId: uuidv7() }
  let loops: readonly { stop(): Promise<void> }[] | undefined
  const stopLoops = async (): Promise<void> => {
    const stopped = loops ?? []
    loops = undefined
    await Promise.all(stopped.map((loop) => loop.stop()))
  }
  const keeper = startLoop({
    name: 'fleet-lease',
    idleMs: holdMs / ROUNDS_PER_LEASE,
    log,
    round: async () => {
      const isHeld = await fleetLeases.take(sql, lease, holdMs)
      if (isHeld) loops ??= start()
      else await stopLoops()
      return false
    },
  })
  return {
    stop: async () => {
      await keeper.stop()
      await stopLoops()
      // Only so that another worker need not wait for its end: Postgres may be away.
      await fleetLeases.release(sql, lease).catch((error: unknown) => {
        log.warn({ err: error }, 'the lease of the loops ends by itself')
      })
    },
  }
}
