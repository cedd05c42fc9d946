import type { Client } from '@temporalio/client'
import {
  CONTROL_QUEUE,
  type DispatchTextsInput,
  textsWorkflowId,
  WAKE_SIGNAL,
} from '../../workflows/contract.ts'
import type { Sql } from '../store/db/sql.ts'
import * as textQueue from '../store/mails/text-queue.ts'
import { type Log, startLoop } from './loop.ts'
import type { WorkNotices } from './work-notices.ts'

const IDLE_MS = 1_000
/** A dispatcher is woken at most this often by one process: it drains until its queue is empty. */
const WAKE_EVERY_MS = 2_000

interface Deps {
  sql: Sql
  temporal: Client
  log: Log
  notices?: WorkNotices | undefined
}

/**
 * Wakes the dispatcher of every connection that has texts to send, or starts it. The rows of the
 * queue decide: a signal that is lost, refused or doubled changes nothing.
 */
export const startTextWaker = ({ sql, temporal, log, notices }: Deps) => {
  const wokenAt = new Map<string, number>()
  return startLoop({
    name: 'text-waker',
    idleMs: IDLE_MS,
    log,
    notices,
    channel: 'text_queue',
    round: async () => {
      const now = Date.now()
      const due = await textQueue.listDueConnections(sql)
      for (const [connectionId, at] of wokenAt) {
        if (now - at >= WAKE_EVERY_MS) wokenAt.delete(connectionId)
      }
      const asleep = due.filter(({ connectionId }) => !wokenAt.has(connectionId))
      await Promise.all(
        asleep.map(async (input: DispatchTextsInput) => {
          const { organizationId, connectionId } = input
          wokenAt.set(connectionId, now)
          await temporal.workflow
            .signalWithStart('dispatchTexts', {
              workflowId: textsWorkflowId(connectionId),
              taskQueue: CONTROL_QUEUE,
              args: [input],
              signal: WAKE_SIGNAL,
              signalArgs: [],
              staticSummary: `Texts of connection ${connectionId}`,
              searchAttributes: {
                OrganizationId: [organizationId],
                ConnectionId: [connectionId],
                Kind: ['texts'],
              },
            })
            .catch((error: unknown) => {
              // A run that has taken all signals it can is awake anyway; others must not wait.
              log.warn({ connection: connectionId, err: error }, 'dispatcher signal failed')
            })
        }),
      )
      return due.length > 0 ? 'done' : false
    },
  })
}
