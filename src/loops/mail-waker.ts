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

const IDLE_MS = 100
/** A dispatcher that was woken and is not at work yet is woken again after so long. */
const WAKE_AGAIN_MS = 5_000
/** Connections whose transactional mail this worker sends at once. More wait for the dispatcher. */
const MOST_SENDING = 100

interface Deps {
  sql: Sql
  temporal: Client
  log: Log
  notices?: WorkNotices | undefined
  /**
   * Sends transactional mail of a connection, unless somebody does. Absent: this worker sends no
   * mail.
   */
  sendReceipts?:
    | ((connection: DispatchMailInput, stopped: AbortSignal) => Promise<void>)
    | undefined
}

/**
 * Sees to it that due single mail is sent. Transactional mail of a connection that nobody is at is
 * sent by this worker, without asking Temporal. For all other mail, and for what that leaves, the
 * dispatcher of the connection is woken or started.
 *
 * The rows of the mail queue decide: a signal that is lost, refused or doubled changes nothing.
 */
export function startMailWaker({ sql, temporal, log, notices, sendReceipts }: Deps) {
  const stopping = new AbortController()
  /** Connections whose transactional mail this process sends. */
  const sending = new Map<string, Promise<void>>()
  /** Dispatchers that are being woken, and those that were. */
  const waking = new Map<string, Promise<void>>()
  const wokenAt = new Map<string, number>()

  const beginToSend = (connection: DispatchMailInput): void => {
    const { connectionId } = connection
    if (!sendReceipts || sending.has(connectionId) || sending.size >= MOST_SENDING) return
    const sent = sendReceipts(connection, stopping.signal)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) {
          log.warn({ connection: connectionId, err: error }, 'transactional mail waits')
        }
      })
      .finally(() => sending.delete(connectionId))
    sending.set(connectionId, sent)
  }

  const wake = async ({ organizationId, connectionId }: DispatchMailInput): Promise<void> => {
    const input: DispatchMailInput = { organizationId, connectionId }
    await temporal.workflow
      .signalWithStart('dispatchMail', {
        workflowId: mailWorkflowId(connectionId),
        taskQueue: CONTROL_QUEUE,
        priority: { ...MAIL_PRIORITY, fairnessKey: organizationId },
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
        // A run that has taken all signals it can is awake anyway; the others must not wait for it.
        log.warn({ connection: connectionId, err: error }, 'dispatcher signal failed')
      })
    waking.delete(connectionId)
    wokenAt.set(connectionId, performance.now())
  }

  const loop = startLoop({
    name: 'mail-waker',
    idleMs: IDLE_MS,
    log,
    notices,
    channel: 'mail_queue',
    round: async () => {
      const receipts = await mailQueue.dueReceipts(sql)
      for (const connection of receipts) beginToSend(connection)
      const dueMail = await mailQueue.due(sql)
      const waiting = new Map(
        dueMail.filter(({ isWaiting }) => isWaiting).map((each) => [each.connectionId, each]),
      )
      const now = performance.now()
      for (const [connectionId, at] of wokenAt) {
        if (!waiting.has(connectionId) || now - at > WAKE_AGAIN_MS) wokenAt.delete(connectionId)
      }
      // Temporal is not waited for: a receipt may be next.
      for (const [connectionId, connection] of waiting) {
        if (wokenAt.has(connectionId) || waking.has(connectionId)) continue
        waking.set(connectionId, wake(connection))
      }
      return dueMail.length > 0 ? 'done' : false
    },
  })
  return {
    stop: async () => {
      await loop.stop()
      stopping.abort()
      await Promise.all([...sending.values(), ...waking.values()])
    },
  }
}
