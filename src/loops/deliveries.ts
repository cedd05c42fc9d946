import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client'
import {
  batchWorkflowId,
  confirmationWorkflowId,
  CONTROL_QUEUE,
  END_CONFIRMATION_SIGNAL,
  executionWorkflowId,
  type Start,
  type StartKind,
  type StartPayloads,
  STARTS,
  WAKE_SIGNAL,
} from '../../workflows/contract.ts'
import { operatorText } from '../domain/operator-text.ts'
import type { Uuid } from '../runtime/ids.ts'
import type { Sql } from '../store/db/sql.ts'
import * as executions from '../store/flows/executions.ts'
import { markForReconciling } from '../store/flows/held-executions.ts'
import * as namedRuns from '../store/platform/named-runs.ts'
import type { OutboxMessage, OutboxPayloads } from '../store/platform/outbox.ts'
import { type Fairness, syncSchedule } from './flow-schedules.ts'

interface Deps extends Fairness {
  sql: Sql
  temporal: Client
  subjects: Subjects
}

type Subjects = ReadonlyMap<string, { name: string | null; status?: string }>

type Kind = keyof OutboxPayloads
type Message<Wanted extends Kind = Kind> = OutboxMessage<Wanted> & {
  organizationId: Uuid
  requestId: string | null
}

/** Starts, signals or cancels the workflow of a message. Throws to be tried again. */
export async function deliver(deps: Deps, message: Message): Promise<void> {
  await (isStart(message) ? start(deps, message) : act(deps, message))
}

const isStart = (message: Message): message is Message<StartKind> => message.kind in STARTS

const STARTING: { [Started in StartKind]: Start<StartPayloads[Started], object> } = STARTS

export const startedWorkflowId = <Started extends StartKind>({
  kind,
  payload,
}: OutboxMessage<Started>): string => STARTING[kind].id(payload)

/** Starts a workflow. A workflow that already runs counts as started. */
async function start<Started extends StartKind>(
  { temporal, subjects }: Deps,
  { kind, payload, organizationId, requestId }: Message<Started>,
): Promise<void> {
  const { type, id, isRepeated, priorityKey, input, subject, summary, attributes } = STARTING[kind]
  const subjectId = subject?.(payload).id ?? ''
  const knownSubject = subjects.get(subjectId)
  const searchable = {
    OrganizationId: organizationId,
    ...attributes(payload, knownSubject?.status),
  }
  try {
    await temporal.workflow.start(type, {
      workflowId: id(payload),
      workflowIdReusePolicy: isRepeated ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      taskQueue: CONTROL_QUEUE,
      args: [{ organizationId, ...(input?.(payload) ?? payload) }],
      // Tasks of one organization wait in a line of their own.
      priority: {
        fairnessKey: organizationId,
        ...(priorityKey === undefined ? {} : { priorityKey }),
      },
      // From a line of the API's log to what it set going.
      ...(requestId === null ? {} : { memo: { requestId } }),
      staticSummary: summary(payload, quoted(knownSubject?.name) ?? subjectId),
      searchAttributes: Object.fromEntries(
        Object.entries(searchable).map(([name, value]) => [name, [value]]),
      ),
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}

/** Returns a name as operators see it. Undefined: no name is visible. */
function quoted(name: string | null | undefined): string | undefined {
  const text = operatorText(name ?? '')
  return text === '' ? undefined : `"${text}"`
}

export async function subjectsOf(sql: Sql, messages: readonly Message[]): Promise<Subjects> {
  const subjects: Record<'flows' | 'batches', namedRuns.Subject[]> = { flows: [], batches: [] }
  for (const message of messages) {
    const subject = isStart(message) ? subjectOf(message) : undefined
    if (!subject) continue
    subjects[subject.table].push({ organizationId: message.organizationId, id: subject.id })
  }
  const { flows, batches } = subjects
  const subjectRows = [
    ...(flows.length === 0 ? [] : await namedRuns.listFlows(sql, flows)),
    ...(batches.length === 0 ? [] : await namedRuns.listBatches(sql, batches)),
  ]
  return new Map(subjectRows.map(({ id, ...subject }) => [id, subject]))
}

const subjectOf = <Started extends StartKind>({ kind, payload }: Message<Started>) =>
  STARTING[kind].subject?.(payload)

type OtherKind = Exclude<Kind, StartKind>
type Acts = {
  [Other in OtherKind]: (deps: Deps, payload: OutboxPayloads[Other]) => Promise<unknown>
}

const act = <Other extends OtherKind>(deps: Deps, { kind, payload }: Message<Other>) =>
  ACTS[kind](deps, payload)

/** Actions for each kind of message that starts nothing. All are safe to repeat. */
const ACTS: Acts = {
  cancel_batch: ({ temporal }, { batchId, attempt }) => {
    const handle = temporal.workflow.getHandle(batchWorkflowId(batchId, attempt))
    return ifThere(() => handle.cancel())
  },

  wake_batch: ({ temporal }, { batchId, attempt }) => {
    const handle = temporal.workflow.getHandle(batchWorkflowId(batchId, attempt))
    return ifThere(() => handle.signal(WAKE_SIGNAL))
  },

  end_confirmation: ({ temporal }, confirmation) => {
    const handle = temporal.workflow.getHandle(confirmationWorkflowId(confirmation))
    return ifThere(() => handle.signal(END_CONFIRMATION_SIGNAL))
  },

  wake_execution: async ({ sql, temporal }, { executionId }) => {
    const [run] = await executions.listRuns(sql, [executionId])
    if (!run) return
    // One that has not begun by its row has, where the row was restored from a backup.
    const workflowId = run.fenceWorkflowId ?? executionWorkflowId(run.id, run.attempt)
    const handle = temporal.workflow.getHandle(workflowId)
    if (!(await ifThere(() => handle.signal(WAKE_SIGNAL)))) await markForReconciling(sql, run.id)
  },

  cancel_execution: ({ temporal }, { workflowId }) => {
    const handle = temporal.workflow.getHandle(workflowId)
    return ifThere(() => handle.cancel())
  },

  sync_schedule: (deps, { flowId }) => syncSchedule(deps, flowId),
}

/**
 * Signals or cancels a workflow that may not be started yet, or be over. Postgres decides, and a
 * workflow that begins later looks there first. Returns false if the workflow does not exist.
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
