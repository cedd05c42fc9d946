import type { Client } from '@temporalio/client'
import {
  CONTROL_QUEUE,
  type DispatchHooksInput,
  hooksWorkflowId,
  WAKE_SIGNAL,
} from '../../workflows/contract.ts'
import type { Sql } from '../store/db/sql.ts'
import * as hookQueue from '../store/hooks/hook-queue.ts'
import { type Log, startLoop } from './loop.ts'
import type { WorkNotices } from './work-notices.ts'

const IDLE_MS = 500
/** A dispatcher is woken at most this often by one process: it drains until its queue is empty. */
const WAKE_EVERY_MS = 1_000

interface Deps {
  sql: Sql
  temporal: Client
  log: Log
  notices?: WorkNotices | undefined
}

/**
 * Wakes the dispatcher of every shard of webhook endpoints that has something to call, or starts
 * it. The rows of the queue decide: a signal that is lost, refused or doubled changes nothing.
 */
export const startHookWaker = ({ sql, temporal, log, notices }: Deps) => {
  const wokenAt = new Map<number, number>()
  return startLoop({
    name: 'hook-waker',
    idleMs: IDLE_MS,
    log,
    notices,
    channel: 'hook_queue',
    round: async () => {
      const now = Date.now()
      const dueShards = await hookQueue.listDueShards(sql)
      const asleep = dueShards.filter((shard) => now - (wokenAt.get(shard) ?? 0) >= WAKE_EVERY_MS)
      await Promise.all(
        asleep.map(async (shard) => {
          wokenAt.set(shard, now)
          const input: DispatchHooksInput = { shard }
          await temporal.workflow
            .signalWithStart('dispatchHooks', {
              workflowId: hooksWorkflowId(shard),
              taskQueue: CONTROL_QUEUE,
              args: [input],
              signal: WAKE_SIGNAL,
              signalArgs: [],
              staticSummary: `Webhook endpoints of shard ${shard}`,
              searchAttributes: { Kind: ['hooks'] },
            })
            .catch((error: unknown) => {
              // A run that has taken all signals it can is awake anyway; the others must not wait
              // for it.
              log.warn({ shard, err: error }, 'dispatcher signal failed')
            })
        }),
      )
      return dueShards.length > 0 ? 'done' : false
    },
  })
}
