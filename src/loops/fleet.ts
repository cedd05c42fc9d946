import { uuidv7 } from '../runtime/ids.ts'
import type { Sql } from '../store/db/sql.ts'
import * as fleetLeases from '../store/platform/fleet-leases.ts'
import { type Log, startLoop } from './loop.ts'

/** Renewals in the lifetime of a lease. */
const ROUNDS_PER_LEASE = 3

interface Deps {
  sql: Sql
  log: Log
  /** Milliseconds after which a dead worker is replaced. */
  holdMs: number
  start: () => readonly { stop(): Promise<void> }[]
}

/**
 * Runs loops in one worker of the fleet. Another worker starts them when the holder of their lease
 * is gone. Each of these loops may run twice at once: the lease saves work and decides nothing, and
 * a holder that cannot renew it while Postgres is away goes on.
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
