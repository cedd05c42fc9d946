import { setMaxListeners } from 'node:events'
import { Context } from '@temporalio/activity'
import type { Keyring } from '../../src/keys/tokens.ts'
import type { Fetcher } from '../../src/net/fetch.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { DispatchHooksInput } from '../../workflows/contract.ts'
import { createCallRoom } from './call-room.ts'
import { createRounds, Stopped } from './rounds.ts'

/** Interval at which a warm drain looks for due deliveries. */
const POLL_MS = 100
const WARM_MS = 1_000
const LONGEST_DRAIN_MS = 300_000
/** Time that running calls have to end after the worker was asked to stop. */
const STOP_MS = 3_000

export interface DrainHooksDeps {
  sql: Sql
  keyring: Keyring
  fetcher: Fetcher
  now?: () => number
  /** Milliseconds that a drain with nothing to do waits for more. */
  warmMs?: number
  onCall?: (outcome: string, ms: number) => void
}

export interface DrainedHooks {
  more: boolean
}

/**
 * Calls the endpoints of a shard for which something is due, for up to five minutes.
 *
 * A delivery is claimed for as long as its call can take, and only when its call begins: a worker
 * that is lost costs its deliveries a second call at most, with the same id.
 */
export function createDrainHooks(deps: DrainHooksDeps) {
  const { warmMs = WARM_MS, now = Date.now, onCall = () => {} } = deps
  const room = createCallRoom()

  return async function drainHooks({ shard }: DispatchHooksInput): Promise<DrainedHooks> {
    const { cancellationSignal } = Context.current()
    const stopping = new AbortController()
    const { signal } = stopping
    // One for each call.
    setMaxListeners(0, signal)
    const rounds = createRounds({ ...deps, shard, now, onCall, room, signal })
    const startedAt = performance.now()
    let warmUntil = startedAt + warmMs
    let stopTimer: NodeJS.Timeout | undefined
    const stop = (): void => {
      stopTimer = setTimeout(() => stopping.abort(new Stopped()), STOP_MS)
    }
    cancellationSignal.addEventListener('abort', stop, { once: true })
    try {
      while (performance.now() - startedAt < LONGEST_DRAIN_MS && !cancellationSignal.aborted) {
        const begun = await rounds.begin()
        const at = performance.now()
        if (begun > 0 || !rounds.isEmpty()) warmUntil = at + warmMs
        else if (at >= warmUntil) return { more: false }
        if (begun === 0) await rounds.changed(POLL_MS)
      }
      return { more: true }
    } finally {
      await rounds.ended()
      clearTimeout(stopTimer)
      cancellationSignal.removeEventListener('abort', stop)
    }
  }
}
