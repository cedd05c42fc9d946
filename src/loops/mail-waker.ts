import type { Client } from '@temporalio/client'
import {
  CONTROL_QUEUE,
  type DispatchMailInput,
  MAIL_PRIORITY,
  mailWorkflowId,
  WAKE_SIGNAL,
} from '../../workflows/contract.ts'
import * as mailQueue from '../store/mails/mail-queue.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'
import type { WorkNotices } from './work-notices.ts'

const IDLE_MS = 200
/**
 * Minimum time between signals of one process to a dispatcher, which drains until its queue is
 * empty.
 */
const WAKE_EVERY_MS = 1_000

interface Deps {
  sql: Sql
  temporal: Client
  log: Log
  notices?: WorkNotices | undefined
}

/**
 * Wakes or starts the dispatcher of every connection that has due mail. The rows of the mail queue
 * decide, so a lost, refused or repeated signal changes nothing.
 */
export const startMailWaker = ({ sql, temporal, log, notices }: Deps) => {
  const wokenAt = new Map<string, number>()
  return startLoop({
    name: 'mail-waker',
    idleMs: IDLE_MS,
    log,
    notices,
    channel: 'mail_queue',
    round: async () => {
      const now = Date.now()
      for (const [connectionId, at] of wokenAt) {
        if (now - at > WAKE_EVERY_MS) wokenAt.delete(connectionId)
      }
      const dueMail = await mailQueue.due(sql)
      const asleep = dueMail.filter(({ connectionId }) => !wokenAt.has(connectionId))
      await Promise.all(
        asleep.map(async ({ organizationId, connectionId }) => {
          wokenAt.set(connectionId, now)
          const input: DispatchMailInput = { organizationId, connectionId }
          await temporal.workflow
            .signalWithStart('dispatchMail', {
              workflowId: mailWorkflowId(connectionId),
              taskQueue: CONTROL_QUEUE,
              priority: MAIL_PRIORITY,
              args: [input],
              signal: WAKE_SIGNAL,
              signalArgs: [],
              staticSummary: `Single mail of connection ${connectionId}`,
              searchAttributes: {
                OrganizationId: [organizationId],
                ConnectionId: [connectionId],
                Kind: ['mail'],
              },
            })
            .catch((error: unknown) => {
              // A run that has taken all signals it can is awake anyway; the others must not wait
              // for it.
              log.warn({ connection: connectionId, err: error }, 'dispatcher signal failed')
            })
        }),
      )
      return dueMail.length > 0 ? 'done' : false
    },
  })
}
