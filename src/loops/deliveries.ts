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
import { operatorText } from '../domain/operator-text.ts'
import type { Sql } from '../store/db/sql.ts'
import * as executions from '../store/flows/executions.ts'
import { markForReconciling } from '../store/flows/held-executions.ts'
import type { OutboxMessage, OutboxPayloads } from '../store/platform/outbox.ts'
import { syncSchedule } from './flow-schedules.ts'

interface Deps {
  sql: Sql
  temporal: Client
  subjects: Subjects
}

/** What operators see of the flows and batches that are started, by their ids. */
export type Subjects = ReadonlyMap<string, { name: string | null; status?: string }>

type Delivery<Payload> = (
  deps: Deps,
  payload: Payload,
  message: { organizationId: string; requestId: string | null },
) => Promise<unknown>

/** What is done for each kind of message; every one is safe to repeat. */
const DELIVERIES: { [Kind in keyof OutboxPayloads]: Delivery<OutboxPayloads[Kind]> } = {
  start_batch: starting(({ batchId, attempt }, organizationId, subjects) => ({
    type: 'sendBatch',
    workflowId: batchWorkflowId(batchId, attempt),
    input: { organizationId, batchId, attempt } satisfies SendBatchInput,
    summary: `Send batch ${named(subjects, batchId)}`,
    attributes: {
      BatchId: [batchId],
      Kind: ['batch'],
      AppStatus: [subjects.get(batchId)?.status ?? 'queued'],
    },
  })),

  start_import: starting(({ importId }, organizationId) => ({
    type: 'importContacts',
    workflowId: importWorkflowId(importId),
    input: { organizationId, importId } satisfies ImportContactsInput,
    summary: `Import ${importId}`,
    attributes: { Kind: ['import'], AppStatus: ['pending'] },
  })),

  verify_connection: starting(({ connectionId }, organizationId) => ({
    type: 'verifyConnection',
    workflowId: verifyWorkflowId(connectionId),
    isRepeated: true,
    input: { organizationId, connectionId } satisfies VerifyConnectionInput,
    summary: `Verify connection ${connectionId}`,
    attributes: { ConnectionId: [connectionId], Kind: ['verification'] },
  })),

  send_notice: starting(({ noticeId }, organizationId) => ({
    type: 'sendNotice',
    workflowId: noticeWorkflowId(noticeId),
    input: { organizationId, noticeId } satisfies SendNoticeInput,
    summary: `Send notice ${noticeId}`,
    attributes: { Kind: ['notice'] },
  })),

  start_erasure: starting(({ erasureId }, organizationId) => ({
    type: 'eraseContact',
    workflowId: eraseWorkflowId(erasureId),
    input: { organizationId, erasureId } satisfies EraseContactInput,
    summary: `Erase a contact: ${erasureId}`,
    attributes: { Kind: ['erasure'] },
  })),

  start_confirmation: starting(({ contactId, topicId, generation }, organizationId) => ({
    type: 'confirmTopic',
    workflowId: confirmationWorkflowId({ contactId, topicId, generation }),
    input: { organizationId, contactId, topicId, generation } satisfies ConfirmTopicInput,
    summary: `Confirmation of topic ${topicId} by contact ${contactId}`,
    attributes: { ContactId: [contactId], Kind: ['confirmation'] },
  })),

  start_cohort: starting(({ cohort, importId, page }, organizationId) => ({
    type: 'confirmCohort',
    workflowId: cohortWorkflowId(importId, page),
    input: { organizationId, cohort } satisfies ConfirmCohortInput,
    summary: `Confirmations of page ${page} of import ${importId}`,
    attributes: { Kind: ['confirmation'] },
  })),

  start_execution: starting(
    ({ executionId, attempt, flowId, contactId }, organizationId, subjects) => ({
      type: 'runFlow',
      workflowId: executionWorkflowId(executionId, attempt),
      input: { organizationId, executionId } satisfies RunFlowInput,
      summary: `Run flow ${named(subjects, flowId)} for contact ${contactId}`,
      attributes: {
        ExecutionId: [executionId],
        FlowId: [flowId],
        ContactId: [contactId],
        Kind: ['execution'],
        AppStatus: ['pending'],
      },
    }),
  ),

  cancel_batch: ({ temporal }, { batchId, attempt }) => {
    const handle = temporal.workflow.getHandle(batchWorkflowId(batchId, attempt))
    return ifThere(() => handle.cancel())
  },

  end_confirmation: ({ temporal }, confirmation) => {
    const handle = temporal.workflow.getHandle(confirmationWorkflowId(confirmation))
    return ifThere(() => handle.signal(END_CONFIRMATION_SIGNAL))
  },

  wake_execution: async ({ sql, temporal }, { executionId }) => {
    const [run] = await executions.listRuns(sql, [executionId])
    if (!run) return
    const handle = temporal.workflow.getHandle(run.workflowId)
    if (!(await ifThere(() => handle.signal(WAKE_SIGNAL)))) await markForReconciling(sql, run.id)
  },

  cancel_execution: ({ temporal }, { workflowId }) => {
    const handle = temporal.workflow.getHandle(workflowId)
    return ifThere(() => handle.cancel())
  },

  sync_schedule: (deps, { flowId }) => syncSchedule(deps, flowId),
}

/** Starts, signals or cancels the workflow that a message is about. Throws to be tried again. */
export async function deliver<Kind extends keyof OutboxPayloads>(
  deps: Deps,
  message: OutboxMessage<Kind> & { organizationId: string; requestId: string | null },
): Promise<void> {
  await DELIVERIES[message.kind](deps, message.payload, message)
}

interface Start {
  type: string
  workflowId: string
  /** May be started again once it is over; else it is started once for good. */
  isRepeated?: boolean
  input: object
  /** What the Temporal UI shows of the run. */
  summary: string
  /** Search attributes, besides that of the organization. */
  attributes: Record<string, string[]>
}

/** By its name, where it has one: the id is among the search attributes. */
function named(subjects: Subjects, id: string): string {
  const name = operatorText(subjects.get(id)?.name ?? '')
  return name === '' ? id : `"${name}"`
}

/** A delivery that starts a workflow; one that runs already is what was asked for. */
function starting<Payload>(
  describe: (payload: Payload, organizationId: string, subjects: Subjects) => Start,
): Delivery<Payload> {
  return async ({ temporal, subjects }, payload, { organizationId, requestId }) => {
    const { type, workflowId, isRepeated, input, summary, attributes } = describe(
      payload,
      organizationId,
      subjects,
    )
    try {
      await temporal.workflow.start(type, {
        workflowId,
        workflowIdReusePolicy: isRepeated ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        taskQueue: CONTROL_QUEUE,
        args: [input],
        // From a line of the API's log to what it set going.
        ...(requestId === null ? {} : { memo: { requestId } }),
        staticSummary: summary,
        searchAttributes: { OrganizationId: [organizationId], ...attributes },
      })
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
    }
  }
}

/**
 * Signals or cancels a workflow that may not have been started, or be over: what Postgres says
 * decides, and a workflow that begins after this looks there first. Returns false when there is
 * none.
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
