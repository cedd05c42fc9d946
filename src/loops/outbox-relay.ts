import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client'
import {
  batchWorkflowId,
  cohortWorkflowId,
  type ConfirmCohortInput,
  type ConfirmTopicInput,
  confirmationWorkflowId,
  CONTROL_QUEUE,
  END_CONFIRMATION_SIGNAL,
  type EraseContactInput,
  eraseWorkflowId,
  executionWorkflowId,
  type ImportContactsInput,
  importWorkflowId,
  noticeWorkflowId,
  type RunFlowInput,
  type SendBatchInput,
  type SendNoticeInput,
  type VerifyConnectionInput,
  verifyWorkflowId,
  WAKE_SIGNAL,
} from '../../workflows/contract.ts'
import { suspect } from '../store/execution-reconciling.ts'
import * as executions from '../store/executions.ts'
import { letIn } from '../store/letting-in.ts'
import * as outbox from '../store/outbox.ts'
import type { Sql } from '../store/sql.ts'
import { syncSchedule } from './flow-schedules.ts'
import { type Log, startLoop } from './loop.ts'

const ROWS = 50
const LEASE_MS = 30_000
const IDLE_MS = 100
const LONGEST_WAIT_MS = 60_000

interface Deps {
  sql: Sql
  temporal: Client
  log: Log
}

/**
 * Loops of each lane. A crowd of executions has two: while one takes its next promises, Temporal
 * has those of the other to do.
 */
const LOOPS: Record<outbox.OutboxLane, number> = { executions: 2, others: 1 }

/**
 * Keeps the promises of the outbox: starts and cancels workflows. No transaction is open while
 * Temporal is asked; a relay that dies leaves its rows to the next one, and every act is safe to
 * repeat, since a workflow's id says which act it is.
 */
export function startOutboxRelay(deps: Deps): { stop(): Promise<void> } {
  const loops = outbox.LANES.flatMap((lane) =>
    Array.from({ length: LOOPS[lane] }, () =>
      startLoop({
        name: `outbox-relay-${lane}`,
        idleMs: IDLE_MS,
        log: deps.log,
        round: () => keepSome(deps, lane),
      }),
    ),
  )
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

/** Keeps what is due, as many at once as a round takes. What failed waits, longer each time. */
async function keepSome({ sql, temporal, log }: Deps, lane: outbox.OutboxLane): Promise<boolean> {
  const rows = await outbox.take(sql, lane, ROWS, LEASE_MS)
  const starting = await letIn(sql, rows.flatMap(attemptOf))
  const kept: outbox.Taken[] = []
  const failed: (outbox.Taken & { error: string; waitMs: number })[] = []
  await Promise.all(
    rows.map(async (row) => {
      try {
        const isOver = row.kind === 'start_execution' && !starting.has(row.payload.executionId)
        if (!isOver) await keep({ sql, temporal }, row)
        kept.push(row)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        const waitMs = Math.min(LONGEST_WAIT_MS, 200 * 2 ** Math.min(row.attempts, 10))
        // A line for each reason of a round: while Temporal is away all of them have the same.
        const isTold = failed.some((each) => each.error === message)
        failed.push({ ...row, error: message, waitMs })
        if (isTold) return
        const { kind, attempts, requestId } = row
        log.warn({ kind, attempts, reqId: requestId, err: error }, 'a promise waits')
      }
    }),
  )
  await outbox.done(sql, kept)
  await outbox.postpone(sql, failed)
  return rows.length === ROWS
}

const attemptOf = ({ organizationId, ...row }: outbox.Taken) =>
  row.kind === 'start_execution' ? [{ organizationId, ...row.payload }] : []

async function keep({ sql, temporal }: Omit<Deps, 'log'>, row: outbox.Taken): Promise<void> {
  const { organizationId, requestId } = row
  // From a line of the API's log to what it set going.
  const memo = requestId === null ? {} : { memo: { requestId } }
  switch (row.kind) {
    case 'start_batch': {
      const { batchId, attempt } = row.payload
      const input: SendBatchInput = { organizationId, batchId, attempt }
      return startOnce(temporal, 'sendBatch', {
        workflowId: batchWorkflowId(batchId, attempt),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [input],
        ...memo,
        staticSummary: `Send batch ${batchId}`,
        searchAttributes: {
          OrganizationId: [organizationId],
          BatchId: [batchId],
          Kind: ['batch'],
          AppStatus: ['queued'],
        },
      })
    }
    case 'cancel_batch': {
      const { batchId, attempt } = row.payload
      const handle = temporal.workflow.getHandle(batchWorkflowId(batchId, attempt))
      await ifThere(() => handle.cancel())
      return
    }
    case 'start_import': {
      const { importId } = row.payload
      const input: ImportContactsInput = { organizationId, importId }
      return startOnce(temporal, 'importContacts', {
        workflowId: importWorkflowId(importId),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [input],
        ...memo,
        staticSummary: `Import ${importId}`,
        searchAttributes: {
          OrganizationId: [organizationId],
          Kind: ['import'],
          AppStatus: ['pending'],
        },
      })
    }
    case 'verify_connection': {
      const { connectionId } = row.payload
      const input: VerifyConnectionInput = { organizationId, connectionId }
      return startOnce(temporal, 'verifyConnection', {
        workflowId: verifyWorkflowId(connectionId),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        args: [input],
        ...memo,
        staticSummary: `Verify connection ${connectionId}`,
        searchAttributes: {
          OrganizationId: [organizationId],
          ConnectionId: [connectionId],
          Kind: ['verification'],
        },
      })
    }
    case 'send_notice': {
      const { noticeId } = row.payload
      const input: SendNoticeInput = { organizationId, noticeId }
      return startOnce(temporal, 'sendNotice', {
        workflowId: noticeWorkflowId(noticeId),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [input],
        staticSummary: `Send notice ${noticeId}`,
        searchAttributes: { OrganizationId: [organizationId], Kind: ['notice'] },
      })
    }
    case 'start_erasure': {
      const { erasureId } = row.payload
      const input: EraseContactInput = { organizationId, erasureId }
      return startOnce(temporal, 'eraseContact', {
        workflowId: eraseWorkflowId(erasureId),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [input],
        ...memo,
        staticSummary: `Erase a contact: ${erasureId}`,
        searchAttributes: { OrganizationId: [organizationId], Kind: ['erasure'] },
      })
    }
    case 'start_confirmation': {
      const { contactId, topicId, generation } = row.payload
      const input: ConfirmTopicInput = { organizationId, contactId, topicId, generation }
      return startOnce(temporal, 'confirmTopic', {
        workflowId: confirmationWorkflowId(input),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [input],
        ...memo,
        staticSummary: `Confirmation of topic ${topicId} by contact ${contactId}`,
        searchAttributes: {
          OrganizationId: [organizationId],
          ContactId: [contactId],
          Kind: ['confirmation'],
        },
      })
    }
    case 'end_confirmation': {
      const handle = temporal.workflow.getHandle(confirmationWorkflowId(row.payload))
      await ifThere(() => handle.signal(END_CONFIRMATION_SIGNAL))
      return
    }
    case 'start_cohort': {
      const { cohort, importId, page } = row.payload
      const input: ConfirmCohortInput = { organizationId, cohort }
      return startOnce(temporal, 'confirmCohort', {
        workflowId: cohortWorkflowId(importId, page),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [input],
        ...memo,
        staticSummary: `Confirmations of page ${page} of import ${importId}`,
        searchAttributes: { OrganizationId: [organizationId], Kind: ['confirmation'] },
      })
    }
    case 'start_execution': {
      const { executionId, attempt, flowId, contactId } = row.payload
      const input: RunFlowInput = { organizationId, executionId }
      return startOnce(temporal, 'runFlow', {
        workflowId: executionWorkflowId(executionId, attempt),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [input],
        ...memo,
        staticSummary: `Run flow ${flowId} for contact ${contactId}`,
        searchAttributes: {
          OrganizationId: [organizationId],
          ExecutionId: [executionId],
          FlowId: [flowId],
          ContactId: [contactId],
          Kind: ['execution'],
          AppStatus: ['pending'],
        },
      })
    }
    case 'wake_execution': {
      const [run] = await executions.listRuns(sql, [row.payload.executionId])
      if (!run) return
      const handle = temporal.workflow.getHandle(run.workflowId)
      if (!(await ifThere(() => handle.signal(WAKE_SIGNAL)))) await suspect(sql, run.id)
      return
    }
    case 'cancel_execution': {
      const handle = temporal.workflow.getHandle(row.payload.workflowId)
      await ifThere(() => handle.cancel())
      return
    }
    case 'sync_schedule':
      await syncSchedule({ sql, temporal }, row.payload.flowId)
      return
  }
}

/**
 * Ends a workflow that may never have been started, or be over: what Postgres says decides, and a
 * workflow that begins after this looks there first. False: there is none, or it is over.
 */
async function ifThere(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act()
    return true
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    return false
  }
}

type Start = Omit<Parameters<Client['workflow']['start']>[1], 'taskQueue'>

async function startOnce(temporal: Client, type: string, options: Start): Promise<void> {
  try {
    await temporal.workflow.start(type, {
      ...options,
      args: options.args ?? [],
      taskQueue: CONTROL_QUEUE,
      workflowIdConflictPolicy: 'USE_EXISTING',
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
