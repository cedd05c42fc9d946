/**
 * The public part of the workflows: queues, ids, inputs, signals, search attributes, and the
 * workflows that a write starts. It imports no code.
 */

export const CONTROL_QUEUE = 'control'
/**
 * Priority of the dispatchers of single mail. Temporal starts their tasks before all others of a
 * queue, so that a receipt does not wait for executions that wake. Without a priority a task has 3.
 * Batches have few tasks and come second. Executions and imports come in crowds and are last.
 */
export const MAIL_PRIORITY = { priorityKey: 1 } as const
const BATCH_PRIORITY = 2
const CROWD_PRIORITY = 4
/** Chunks of batches: a backlog here delays nothing else. */
export const SEND_QUEUE = 'send'
/** Single mail, so that a receipt never waits for the slots of batches. */
export const MAIL_QUEUE = 'mail'
/** Files of contacts, which keep a processor busy. */
export const IMPORT_QUEUE = 'import'
/** Queries to providers. A slow provider holds no slot that other work needs. */
export const PROVIDER_QUEUE = 'provider'
/** Webhook steps of flows. Slow receivers hold no slot that other work needs. */
export const WEBHOOK_QUEUE = 'webhook'
/** Calls of webhook endpoints. Flows' webhook steps have slots of their own. */
export const HOOK_QUEUE = 'hooks'
export const QUEUES = [
  CONTROL_QUEUE,
  SEND_QUEUE,
  MAIL_QUEUE,
  IMPORT_QUEUE,
  PROVIDER_QUEUE,
  WEBHOOK_QUEUE,
  HOOK_QUEUE,
] as const
/** Dispatchers among which webhook endpoints are shared out. */
export const HOOK_SHARDS = 16

/**
 * Time without a heartbeat after which another worker repeats an activity that sends. A slow one
 * may overlap with it until its next heartbeat; claims and locks keep them apart.
 */
export const HEARTBEAT_TIMEOUT = '15s'

/**
 * Attributes by which an operator searches in the Temporal UI, registered at start. `AppStatus`,
 * since a query cannot name an attribute `Status`.
 */
export const SEARCH_ATTRIBUTES = {
  OrganizationId: 'Keyword',
  Kind: 'Keyword',
  AppStatus: 'Keyword',
  BatchId: 'Keyword',
  ConnectionId: 'Keyword',
  ContactId: 'Keyword',
  FlowId: 'Keyword',
  ExecutionId: 'Keyword',
} as const

export const batchWorkflowId = (batchId: string, attempt: number): string =>
  `batch/${batchId}/${attempt}`
export const mailWorkflowId = (connectionId: string): string => `mail/${connectionId}`
export const textsWorkflowId = (connectionId: string): string => `texts/${connectionId}`
export const hooksWorkflowId = (shard: number): string => `hooks/${shard}`
export const importWorkflowId = (importId: string): string => `import/${importId}`
export const verifyWorkflowId = (connectionId: string): string => `verify/${connectionId}`
export const confirmationWorkflowId = ({ contactId, topicId, generation }: Confirmation): string =>
  `confirm/${contactId}/${topicId}/${generation}`
export const cohortWorkflowId = (cohort: string): string => `confirm-cohort/${cohort}`
export const eraseWorkflowId = (erasureId: string): string => `erase/${erasureId}`

export const executionWorkflowId = (executionId: string, attempt: number): string =>
  `execution/${executionId}/${attempt}`
export const flowScheduleId = (flowId: string): string => `flow/${flowId}`
export const flowIdOfSchedule = (scheduleId: string): string | undefined =>
  /^flow\/([0-9a-f-]{36})$/.exec(scheduleId)?.[1]
/** Prefix of the ids of the runs that a flow's schedule starts. The moment follows. */
export const fireWorkflowId = (flowId: string): string => `fire/${flowId}`
/** Returns the id that Temporal gives to the schedule's run of this moment (ISO 8601). */
export const momentWorkflowId = (flowId: string, firedFor: string): string =>
  `${fireWorkflowId(flowId)}-${firedFor.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`

/** Id by connection, not by account, since anybody may register a stranger's account number. */
export const askWorkflowId = (connectionId: string, what: string): string =>
  `ask/${connectionId}/${what}`

export interface AskProviderInput {
  organizationId: string
  connectionId: string
  what: string
}

export const noticeWorkflowId = (noticeId: string): string => `notice/${noticeId}`

/** The only schedule of the sweep, and the prefix of its runs' ids. */
export const SWEEP_ID = 'sweep-health'

export interface SweepProgress {
  after: string | null
  checked: number
  unanswered: number
  /** Accounts that were not checked because of a failure of our own. */
  failed: number
}

/** The only schedule of retention, and the prefix of its runs' ids. */
export const RETENTION_ID = 'keep-retention'

/** The paused schedule whose note is Temporal's copy of the ledger's newest beat. */
export const BEAT_ID = 'ledger-beat'

export interface RetentionProgress {
  dropped: number
  held: number
  busy: number
  deleted: number
}

export interface Range {
  from: number
  to: number
}

/** Plan by which `sendBatch` sends a frozen audience. Fixed when it is frozen. */
export interface SendPlan {
  total: number
  chunkSize: number
  window: number
  /** Milliseconds of sleep between passes while only claimed and unknown rows are left. */
  passMs: number
  /** Rows with a sending time of their own, in the order of these times. Absent: all at once. */
  parts?: SendPart[]
}

/** Rows of a batch that are sent at their own time (milliseconds since 1970). */
export interface SendPart extends Range {
  sendAt: number
  /** The share of an A/B test. Other parts of such a plan wait for the decision. */
  isTest?: true
}

export interface SendBatchInput {
  organizationId: string
  batchId: string
  attempt: number
  progress?: SendProgress
}

export interface SendProgress {
  plan: SendPlan
  next: number
  unfinished: number[]
}

/** Input of `dispatchMail`, the only workflow that sends a connection's single mail. */
export interface DispatchMailInput {
  organizationId: string
  connectionId: string
}

/** Input of `dispatchTexts`, the only workflow that sends a connection's single texts. */
export interface DispatchTextsInput {
  organizationId: string
  connectionId: string
}

/** Input of `dispatchHooks`, the only workflow that calls the endpoints of a shard. */
export interface DispatchHooksInput {
  shard: number
}

export interface FireScheduleInput {
  organizationId: string
  flowId: string
  /** Scheduled moment (ISO 8601). Absent in the first run, which gets it from Temporal. */
  firedFor?: string
  after?: string | null
}

/** A confirmation. Later ones of the same contact and topic have a higher generation. */
export type Confirmation = {
  contactId: string
  topicId: string
  generation: number
}

/** Signal of `confirmTopic`: the confirmation is no longer awaited. Postgres has the same fact. */
export const END_CONFIRMATION_SIGNAL = 'endConfirmation'

/**
 * Signal of `dispatchMail`, `dispatchTexts`, `dispatchHooks`, `runFlow` and `sendBatch`: there may
 * be work in Postgres. A lost signal only costs time.
 */
export const WAKE_SIGNAL = 'wake'

export interface Start<Payload, Input, Type extends string = string> {
  type: Type
  /**
   * Identifies the act, so that a repeated message starts nothing. Its parameter types the payload.
   */
  id: (payload: Payload) => string
  /**
   * May be started again after its end by src/loops/open-rows.ts, for a row that is still open.
   * Absent: started once only.
   */
  isRepeated?: true
  /** Priority of its tasks in a queue, 1 first. Absent: 3. */
  priorityKey?: number
  /** Returns the input besides the organization. Absent: the payload. */
  input?: (payload: Payload) => Input
  subject?: (payload: Payload) => { table: 'flows' | 'batches'; id: string }
  /** Text in the Temporal UI. `name` is that of the subject, or its id. */
  summary: (payload: Payload, name: string) => string
  /** Search attributes besides the organization's. `status` is that of the subject. */
  attributes: (payload: Payload, status: string | undefined) => Attributes
}

type Attributes = { [Name in keyof typeof SEARCH_ATTRIBUTES]?: string }

/** `Input` and `Type` are those of the entry, so that a test can compare them with the workflow. */
const start = <Payload, const Type extends string, Input = Payload>(
  entry: Start<Payload, Input, Type>,
) => entry

/**
 * Workflows that a write starts, by the kind of their outbox message. A new one is one more entry
 * here.
 */
export const STARTS = {
  start_batch: start({
    type: 'sendBatch',
    id: ({ batchId, attempt }: { batchId: string; attempt: number }) =>
      batchWorkflowId(batchId, attempt),
    priorityKey: BATCH_PRIORITY,
    subject: ({ batchId }) => ({ table: 'batches', id: batchId }),
    summary: (_, name) => `Send batch ${name}`,
    attributes: ({ batchId }, status = 'queued') => ({
      BatchId: batchId,
      Kind: 'batch',
      AppStatus: status,
    }),
  }),

  start_import: start({
    type: 'importContacts',
    id: ({ importId }: { importId: string }) => importWorkflowId(importId),
    isRepeated: true,
    priorityKey: CROWD_PRIORITY,
    summary: ({ importId }) => `Import ${importId}`,
    attributes: () => ({ Kind: 'import', AppStatus: 'pending' }),
  }),

  verify_connection: start({
    type: 'verifyConnection',
    id: ({ connectionId }: { connectionId: string }) => verifyWorkflowId(connectionId),
    isRepeated: true,
    summary: ({ connectionId }) => `Verify connection ${connectionId}`,
    attributes: ({ connectionId }) => ({ ConnectionId: connectionId, Kind: 'verification' }),
  }),

  send_notice: start({
    type: 'sendNotice',
    id: ({ noticeId }: { noticeId: string }) => noticeWorkflowId(noticeId),
    isRepeated: true,
    summary: ({ noticeId }) => `Send notice ${noticeId}`,
    attributes: () => ({ Kind: 'notice' }),
  }),

  start_erasure: start({
    type: 'eraseContact',
    id: ({ erasureId }: { erasureId: string }) => eraseWorkflowId(erasureId),
    isRepeated: true,
    summary: ({ erasureId }) => `Erase a contact: ${erasureId}`,
    attributes: () => ({ Kind: 'erasure' }),
  }),

  start_confirmation: start({
    type: 'confirmTopic',
    id: (confirmation: Confirmation) => confirmationWorkflowId(confirmation),
    isRepeated: true,
    summary: ({ topicId, contactId }) => `Confirmation of topic ${topicId} by contact ${contactId}`,
    attributes: ({ contactId }) => ({ ContactId: contactId, Kind: 'confirmation' }),
  }),

  // A moment of a schedule whose run was lost. The schedule itself starts it at first.
  fire_schedule: start({
    type: 'fireSchedule',
    id: ({ flowId, firedFor }: ScheduleMoment) => momentWorkflowId(flowId, firedFor),
    isRepeated: true,
    subject: ({ flowId }) => ({ table: 'flows', id: flowId }),
    summary: (_, name) => `Start flow ${name} by its schedule`,
    attributes: ({ flowId }) => ({ FlowId: flowId, Kind: 'schedule' }),
  }),

  // One message for all confirmations that a page of an import asks for, in the transaction that
  // writes the last of their subscriptions.
  start_cohort: start({
    type: 'confirmCohort',
    id: ({ cohort }: Cohort) => cohortWorkflowId(cohort),
    isRepeated: true,
    input: ({ cohort }) => ({ cohort }),
    summary: ({ cohort, importId, page }) =>
      importId === undefined
        ? `Confirmations of cohort ${cohort}`
        : `Confirmations of page ${page} of import ${importId}`,
    attributes: () => ({ Kind: 'confirmation' }),
  }),

  // One attempt of an execution. Operators search by flow and contact.
  start_execution: start({
    type: 'runFlow',
    id: ({ executionId, attempt }: ExecutionAttempt) => executionWorkflowId(executionId, attempt),
    priorityKey: CROWD_PRIORITY,
    input: ({ executionId }) => ({ executionId }),
    subject: ({ flowId }) => ({ table: 'flows', id: flowId }),
    summary: ({ contactId }, name) => `Run flow ${name} for contact ${contactId}`,
    attributes: ({ executionId, flowId, contactId }) => ({
      ExecutionId: executionId,
      FlowId: flowId,
      ContactId: contactId,
      Kind: 'execution',
      AppStatus: 'pending',
    }),
  }),
}

/** A moment of a flow's schedule, and the last contact that was started for it. */
type ScheduleMoment = { flowId: string; firedFor: string; after: string | null }

/** The import and its page. Absent if only the subscriptions are known. */
type Cohort = { cohort: string; importId?: string; page?: number }

type ExecutionAttempt = {
  executionId: string
  attempt: number
  flowId: string
  contactId: string
}

export type StartKind = keyof typeof STARTS

export type StartPayloads = {
  [Kind in StartKind]: Parameters<(typeof STARTS)[Kind]['id']>[0]
}

export type StartInputs = {
  [Kind in StartKind]: { organizationId: string } & ((typeof STARTS)[Kind] extends Start<
    StartPayloads[Kind],
    infer Input
  >
    ? Input
    : never)
}

export type ImportContactsInput = StartInputs['start_import']
export type VerifyConnectionInput = StartInputs['verify_connection']
/** Text and recipients are in Postgres. */
export type SendNoticeInput = StartInputs['send_notice']
export type EraseContactInput = StartInputs['start_erasure']
export type ConfirmTopicInput = StartInputs['start_confirmation']
export type ConfirmCohortInput = StartInputs['start_cohort']
/** Continued runs have the same input as started ones. */
export type RunFlowInput = StartInputs['start_execution']
