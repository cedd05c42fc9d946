import type { WorkflowHandle } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import type {
  ControlActivities,
  HealthActivities,
  HookActivities,
  ImportActivities,
  MailActivities,
  NoticeActivities,
  ProviderActivities,
  SendActivities,
  TextActivities,
} from '../../activities/index.ts'
import type { BatchReport } from '../../src/domain/batches/batch.ts'
import { type Move, STEP_FAILED } from '../../src/domain/flows/execution.ts'
import { CONSOLE_POLICY_VERSION } from '../../src/domain/accounts/provider-questions.ts'
import { END_CONFIRMATION_SIGNAL, WAKE_SIGNAL } from '../../workflows/contract.ts'

type Activities = ControlActivities &
  HealthActivities &
  HookActivities &
  ImportActivities &
  MailActivities &
  NoticeActivities &
  ProviderActivities &
  SendActivities &
  TextActivities

/** Result of an activity that fails. */
export const FAILS = Symbol('an activity that fails')

/** Results or errors of each activity, in order. The last one is repeated. */
export type Answers = {
  [Name in keyof Activities]?: (Awaited<ReturnType<Activities[Name]>> | typeof FAILS | Error)[]
}

export interface Scenario {
  workflow: string
  name: string
  input: unknown[]
  answers: Answers
  /** Action of an operator or a loop during the run. */
  meanwhile?: (handle: WorkflowHandle) => Promise<unknown>
  /** The run waits for days. */
  skipsTime?: true
}

/** Every history has the same ids. */
const id = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const organizationId = id(1)
const connection = { organizationId, connectionId: id(2) }
const confirmation = { organizationId, contactId: id(3), topicId: id(4), generation: 1 }
const batch = { organizationId, batchId: id(5), attempt: 1 }
const file = { organizationId, importId: id(6) }
const execution = { organizationId, executionId: id(7) }
const schedule = { organizationId, flowId: id(8) }
const fence = { workflowId: `execution/${execution.executionId}/1`, runId: id(9) }

const step = (
  stepId: string,
  where: Extract<Move, { do: 'step' }>['where'] = 'local',
  visit = 1,
): Move => ({
  do: 'step',
  name: stepId,
  where,
  stepId,
  visit,
})
const rest = (stepId: string, until: number | null): Move => ({
  do: 'wait',
  name: stepId,
  where: 'local',
  status: 'paused',
  until,
  stepId,
  visit: 1,
})
const endMove = (status: 'completed' | 'failed' | 'cancelled', reason: string | null): Move => ({
  do: 'end',
  status,
  reason,
})
/** A step that runs as this activity while the API shows `active`. */
const active = (stepId: string, where: 'control' | 'webhook'): Move => ({
  do: 'step',
  name: stepId,
  where,
  status: 'active',
  stepId,
  visit: 1,
})
const stepFailed = (reason: string) =>
  ApplicationFailure.create({
    message: `The step failed: ${reason}`,
    type: STEP_FAILED,
    details: [reason],
    nonRetryable: true,
  })
const begins = (move: Move) => [{ fence, move }]

const report = (status: BatchReport['status']): BatchReport => ({
  status,
  reason: status === 'failed' ? 'disconnected' : null,
  frozen: 20,
  sent: 20,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  unknown: 0,
})

/** Scenarios of this version's workflows. Together they cover every branch. */
export const scenarios: Scenario[] = [
  {
    workflow: 'askProvider',
    name: 'asked-twice',
    input: [{ ...connection, what: CONSOLE_POLICY_VERSION }],
    answers: { probeConsolePolicy: [FAILS, undefined] },
  },
  {
    workflow: 'confirmCohort',
    name: 'given-up',
    input: [{ organizationId, cohort: id(10) }],
    answers: { mailConfirmations: [1], expireConfirmations: [undefined] },
    skipsTime: true,
  },
  {
    workflow: 'confirmTopic',
    name: 'given-up',
    input: [confirmation],
    answers: { mailConfirmations: [1], expireConfirmations: [undefined] },
    skipsTime: true,
  },
  {
    workflow: 'confirmTopic',
    name: 'confirmed',
    input: [confirmation],
    answers: { mailConfirmations: [1] },
    meanwhile: (handle) => handle.signal(END_CONFIRMATION_SIGNAL),
  },
  {
    workflow: 'confirmTopic',
    name: 'cancelled',
    input: [confirmation],
    answers: { mailConfirmations: [1], expireConfirmations: [undefined] },
    meanwhile: (handle) => handle.cancel(),
  },
  {
    workflow: 'dispatchHooks',
    name: 'drained',
    input: [{ shard: 3 }],
    answers: { drainHooks: [{ more: true }, { more: false }] },
    meanwhile: (handle) => handle.signal(WAKE_SIGNAL),
    skipsTime: true,
  },
  {
    workflow: 'dispatchMail',
    name: 'drained',
    input: [connection],
    answers: { drainMail: [{ more: true }, { more: true, resumeAt: 0 }, { more: false }] },
    meanwhile: (handle) => handle.signal(WAKE_SIGNAL),
    skipsTime: true,
  },
  {
    workflow: 'dispatchTexts',
    name: 'drained',
    input: [connection],
    answers: {
      drainTexts: [
        { waitMs: 0, more: true },
        { waitMs: 30_000, more: true },
        { waitMs: 0, more: false },
      ],
    },
    meanwhile: (handle) => handle.signal(WAKE_SIGNAL),
    skipsTime: true,
  },
  {
    workflow: 'eraseContact',
    name: 'erased',
    input: [{ organizationId, erasureId: id(11) }],
    answers: {
      beginErasure: [true],
      eraseMails: [{ more: true }, { more: false }],
      eraseRecords: [false, true],
      completeErasure: [true],
    },
  },
  {
    workflow: 'fireSchedule',
    name: 'three-pages',
    input: [schedule],
    answers: {
      fireSchedulePage: [
        { isLast: false, after: id(12), waitMs: 0 },
        { isLast: false, after: id(13), waitMs: 100 },
        { isLast: true, after: id(14), waitMs: 0 },
      ],
    },
  },
  {
    workflow: 'importContacts',
    name: 'completed',
    input: [file],
    answers: { beginImport: ['running', 'completed'], importPages: [false, true] },
  },
  {
    workflow: 'importContacts',
    name: 'cancelled',
    input: [file],
    answers: { beginImport: ['running'], importPages: [FAILS], failImport: [undefined] },
    meanwhile: (handle) => handle.cancel(),
  },
  {
    workflow: 'runFlow',
    name: 'completed',
    input: [execution],
    answers: {
      beginExecution: begins(step('condition')),
      runStep: [
        step('split'),
        step('mail', 'control'),
        rest('mail', null),
        step('webhook', 'webhook'),
        rest('delay', 1),
        step('exit'),
        endMove('completed', null),
      ],
    },
    meanwhile: (handle) => handle.signal(WAKE_SIGNAL),
  },
  {
    workflow: 'runFlow',
    name: 'long-chain',
    input: [execution],
    answers: {
      beginExecution: begins(step('s1')),
      runStep: [
        ...Array.from({ length: 24 }, (_, n) => step(`s${n + 2}`)),
        endMove('cancelled', 'exit_on'),
      ],
    },
  },
  {
    workflow: 'runFlow',
    name: 'local-step-fails-once',
    input: [execution],
    answers: {
      beginExecution: [FAILS, ...begins(step('first'))],
      runStep: [FAILS, step('second'), endMove('completed', null)],
    },
  },
  {
    workflow: 'runFlow',
    name: 'failed',
    input: [execution],
    answers: {
      beginExecution: begins(step('webhook', 'webhook')),
      runStep: [endMove('failed', 'webhook_failed')],
    },
  },
  {
    workflow: 'runFlow',
    name: 'step-failed',
    input: [execution],
    answers: {
      beginExecution: begins(active('webhook', 'webhook')),
      runStep: [
        FAILS,
        rest('delay', 1),
        step('split'),
        active('webhook', 'webhook'),
        stepFailed('http_400'),
      ],
    },
  },
  {
    workflow: 'runFlow',
    name: 'left',
    input: [execution],
    answers: { beginExecution: begins({ do: 'leave' }) },
  },
  {
    workflow: 'runFlow',
    name: 'cancelled',
    input: [execution],
    answers: {
      beginExecution: begins(rest('delay', Date.parse('2100-01-01'))),
      stopExecution: ['cancelled'],
    },
    meanwhile: (handle) => handle.cancel(),
  },
  {
    workflow: 'sendBatch',
    name: 'completed',
    input: [batch],
    answers: {
      beginBatch: [{ kind: 'wait', until: 0 }, { kind: 'go' }],
      freezeAudience: [{}, { plan: { total: 50, chunkSize: 10, window: 2, passMs: 100 } }],
      sendChunk: [
        { kind: 'done' },
        { kind: 'waiting' },
        { kind: 'paused', resumeAt: 0, reason: 'quota' },
        FAILS,
        { kind: 'done' },
      ],
      completeBatch: [false, true],
      reportBatch: [report('completed')],
    },
  },
  {
    workflow: 'sendBatch',
    name: 'reported',
    input: [batch],
    answers: {
      beginBatch: [
        { kind: 'wait', until: 0 },
        { kind: 'go', status: 'processing' },
      ],
      freezeAudience: [{ plan: { total: 20, chunkSize: 10, window: 2, passMs: 100 } }],
      sendChunk: [{ kind: 'done' }],
      completeBatch: [true],
      reportBatch: [FAILS, report('completed')],
    },
  },
  {
    workflow: 'sendBatch',
    name: 'reported-failed',
    input: [batch],
    answers: {
      beginBatch: [{ kind: 'go' }],
      freezeAudience: [{ plan: { total: 20, chunkSize: 10, window: 2, passMs: 100 } }],
      sendChunk: [{ kind: 'unavailable', reason: 'disconnected' }],
      failBatch: [undefined],
      reportBatch: [report('failed')],
    },
  },
  {
    workflow: 'sendBatch',
    name: 'reported-cancelled',
    input: [batch],
    answers: {
      beginBatch: [{ kind: 'wait', until: Date.parse('2100-01-01') }],
      failBatch: [undefined],
      reportBatch: [report('cancelled')],
    },
    meanwhile: (handle) => handle.cancel(),
  },
  {
    workflow: 'sendBatch',
    name: 'failed',
    input: [batch],
    answers: {
      beginBatch: [{ kind: 'go' }],
      freezeAudience: [{ plan: { total: 30, chunkSize: 10, window: 2, passMs: 100 } }],
      sendChunk: [{ kind: 'done' }, { kind: 'unavailable', reason: 'disconnected' }],
      failBatch: [undefined],
      reportBatch: [report('failed')],
    },
  },
  {
    workflow: 'sendBatch',
    name: 'cancelled',
    input: [batch],
    answers: {
      beginBatch: [{ kind: 'wait', until: Date.parse('2100-01-01') }],
      failBatch: [undefined],
      reportBatch: [report('cancelled')],
    },
    meanwhile: (handle) => handle.cancel(),
  },
  {
    workflow: 'sendNotice',
    name: 'told',
    input: [{ organizationId, noticeId: id(15) }],
    answers: {
      sendNotice: [
        { waitMs: 1, told: 0 },
        { waitMs: 1, told: 1 },
        { waitMs: null, told: 0 },
      ],
    },
  },
  {
    workflow: 'sweepHealth',
    name: 'one-fails',
    input: [],
    answers: {
      listAccounts: [[connection, { organizationId, connectionId: id(16) }]],
      checkAccount: ['checked', FAILS],
    },
  },
  {
    workflow: 'keepRetention',
    name: 'a-page-fails',
    input: [],
    answers: {
      dropOldDays: [FAILS, { dropped: 2, held: 1, busy: 0 }],
      deleteOldRows: [{ deleted: 7, more: true }, FAILS, { deleted: 1, more: false }],
      deleteMailReferences: [3],
    },
  },
  {
    workflow: 'verifyConnection',
    name: 'verified',
    input: [connection],
    answers: { verifyConnection: [FAILS, undefined], checkAccount: ['checked'] },
  },
  {
    workflow: 'verifyConnection',
    name: 'no-health',
    input: [connection],
    answers: { verifyConnection: [undefined], checkAccount: [FAILS] },
  },
]
