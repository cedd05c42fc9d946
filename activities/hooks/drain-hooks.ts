import { setMaxListeners } from 'node:events'
import { Context } from '@temporalio/activity'
import type { Keyring } from '../../src/keys/tokens.ts'
import type { Fetcher } from '../../src/net/fetch.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { DispatchHooksInput } from '../../workflows/contract.ts'
import * as hookQueue from '../../src/store/hooks/hook-queue.ts'
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
  /** Sentences for operators. Absent in results of earlier workers. */
  summary?: string
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
    const calls = { delivered: 0, failed: 0 }
    const countCall = (outcome: string, ms: number): void => {
      calls[outcome === 'delivered' ? 'delivered' : 'failed']++
      onCall(outcome, ms)
    }
    const rounds = createRounds({ ...deps, shard, now, onCall: countCall, room, signal })
    const startedAt = performance.now()
    let warmUntil = startedAt + warmMs
    let stopTimer: NodeJS.Timeout | undefined
    const stop = (): void => {
      stopTimer = setTimeout(() => stopping.abort(new Stopped()), STOP_MS)
    }
    cancellationSignal.addEventListener('abort', stop, { once: true })
    const isInTime = () =>
      performance.now() - startedAt < LONGEST_DRAIN_MS && !cancellationSignal.aborted
    let isIdle = false
    try {
      while (!isIdle && isInTime()) {
        const begun = await rounds.begin()
        const at = performance.now()
        if (begun > 0 || !rounds.isEmpty()) warmUntil = at + warmMs
        else isIdle = at >= warmUntil
        if (begun === 0 && !isIdle) await rounds.changed(POLL_MS)
      }
    } finally {
      await rounds.ended()
      clearTimeout(stopTimer)
      cancellationSignal.removeEventListener('abort', stop)
    }
    const summary = summaryOf(await hookQueue.summarizeShard(deps.sql, shard), calls)
    return { more: !isIdle, summary }
  }
}

const summaryOf = (
  { endpoints, gated, disabled, waiting }: hookQueue.ShardSummary,
  { delivered, failed }: { delivered: number; failed: number },
): string =>
  `**${waiting}**${waiting < hookQueue.MOST_WAITING_COUNTED ? '' : ' or more'} deliveries wait. ` +
  `Endpoints: ${endpoints}, ${gated} with a closed gate, ${disabled} disabled. ` +
  `Calls of the last drain: ${delivered} delivered, ${failed} failed.`
