/**
 * What other code may know of the workflows: queues, ids, inputs, signals, search attributes, and
 * which of them a write starts. It imports no code.
 */

/**
 * Workflows, and short activities: database work, and rendering mail of flows and confirmations.
 */
export const CONTROL_QUEUE = 'control'
/**
 * Of the dispatchers of single mail: Temporal hands their tasks out before all others of a
 * queue, so that a receipt does not wait for executions that wake. Without a priority a task has 3.
 */
export const MAIL_PRIORITY = { priorityKey: 1 } as const
/** Chunks of batches: a backlog here delays nothing else. */
export const SEND_QUEUE = 'send'
/** Single mail: a receipt never waits for the slots of batches. */
export const MAIL_QUEUE = 'mail'
/** Files of contacts: they keep a processor busy. */
export const IMPORT_QUEUE = 'import'
/** Questions to providers: a slow one holds no slot that anything else waits for. */
export const PROVIDER_QUEUE = 'provider'
/** Webhook steps of flows: slow receivers hold no slot that anything else waits for. */
export const WEBHOOK_QUEUE = 'webhook'

/**
 * Attributes an operator searches by in the Temporal UI; registered at start. `AppStatus`, because
 * a query cannot name an attribute `Status`.
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
export const importWorkflowId = (importId: string): string => `import/${importId}`
export const verifyWorkflowId = (connectionId: string): string => `verify/${connectionId}`
export const confirmationWorkflowId = ({ contactId, topicId, generation }: Confirmation): string =>
  `confirm/${contactId}/${topicId}/${generation}`
export const cohortWorkflowId = (cohort: string): string => `confirm-cohort/${cohort}`
export const eraseWorkflowId = (erasureId: string): string => `erase/${erasureId}`

export const executionWorkflowId = (executionId: string, attempt: number): string =>
  `execution/${executionId}/${attempt}`
/** The Temporal Schedule of a flow. */
export const flowScheduleId = (flowId: string): string => `flow/${flowId}`
/** The flow of a schedule; undefined: it is another's. */
export const flowIdOfSchedule = (scheduleId: string): string | undefined =>
  /^flow\/([0-9a-f-]{36})$/.exec(scheduleId)?.[1]
/** What the ids of the runs that a flow's schedule starts begin with; their moment follows. */
export const fireWorkflowId = (flowId: string): string => `fire/${flowId}`
/** As Temporal names the run that the schedule starts at this moment, ISO. */
export const momentWorkflowId = (flowId: string, firedFor: string): string =>
  `${fireWorkflowId(flowId)}-${firedFor.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`

/** Never shared between connections: anybody may register a stranger's account number. */
export const askWorkflowId = (connectionId: string, what: string): string =>
  `ask/${connectionId}/${what}`

/** Input of `askProvider`. What is asked for by name is in Postgres, and so is the answer. */
export interface AskProviderInput {
  organizationId: string
  connectionId: string
  what: string
}

export const noticeWorkflowId = (noticeId: string): string => `notice/${noticeId}`

/** The one schedule of the sweep, and what the ids of its runs begin with. */
export const SWEEP_ID = 'sweep-health'

/** What `sweepHealth` carries over when it continues as new, and what it returns at its end. */
export interface SweepProgress {
  /** The last connection of the pages that are done; null: none. */
  after: string | null
  checked: number
  /** Accounts that gave no answer, or were disconnected meanwhile. */
  unanswered: number
  /** Neither answered nor stored: our own failure. */
  failed: number
}

/** The one schedule of retention, and what the ids of its runs begin with. */
export const RETENTION_ID = 'keep-retention'

/** The paused schedule whose note is Temporal's copy of the ledger's newest beat. */
export const BEAT_ID = 'ledger-beat'

/** What `keepRetention` carries over when it continues as new, and what it returns at its end. */
export interface RetentionProgress {
  /** Days of tables whose partitions were dropped. */
  dropped: number
  /** Days that are kept, since something of them is still to be done. */
  held: number
  /** Days that are kept, since others were at work with the tables all the time. */
  busy: number
  /** Rows of other tables. */
  deleted: number
}

/** A part of a batch: rows `from` ≤ seq < `to`. */
export interface Range {
  from: number
  to: number
}

/** What `sendBatch` needs to send a frozen audience; fixed when it is frozen. */
export interface SendPlan {
  total: number
  chunkSize: number
  /** Chunk activities in flight at most. */
  window: number
  /** Sleep between passes while only claimed and unknown rows are left, milliseconds. */
  passMs: number
  /** Rows that are not sent before their time, in the order of those; absent: all at once. */
  parts?: SendPart[]
}

/** Rows of a batch that are sent at their own time (milliseconds since 1970). */
export interface SendPart extends Range {
  sendAt: number
  /** The share of an A/B test. Other parts of such a plan wait until the test is decided. */
  isTest?: true
}

/** Input of `sendBatch`, and what it carries over when it continues as new. */
export interface SendBatchInput {
  organizationId: string
  batchId: string
  attempt: number
  progress?: SendProgress
}

export interface SendProgress {
  plan: SendPlan
  /** The first chunk that was never tried. */
  next: number
  /** Chunks that were tried and have rows left, by number. */
  unfinished: number[]
}

/**
 * Input of `dispatchMail`, the one workflow that sends a connection's single mail.
 */
export interface DispatchMailInput {
  organizationId: string
  connectionId: string
}

/** Input of `fireSchedule`, and what it carries over when it continues as new. */
export interface FireScheduleInput {
  organizationId: string
  flowId: string
  /** The moment that was scheduled, ISO; absent in the first run, which knows it from Temporal. */
  firedFor?: string
  /** The last contact of the pages that are done; null: none. */
  after?: string | null
}

/** One confirmation: a later one of the same contact and topic has a higher generation. */
export type Confirmation = {
  contactId: string
  topicId: string
  generation: number
}

/** Signal of `confirmTopic`: the confirmation is no longer awaited. Postgres says so too. */
export const END_CONFIRMATION_SIGNAL = 'endConfirmation'

/**
 * Signal of `dispatchMail`, `runFlow` and `sendBatch`: look into Postgres, there may be something
 * to do. Loses nothing when it is lost.
 */
export const WAKE_SIGNAL = 'wake'

/** A workflow that an outbox message starts, and what Temporal is told of it. */
export interface Start<Payload, Input, Type extends string = string> {
  /** The name under which `workflows/index.ts` exports it. */
  type: Type
  /** Says which act it is: a repeated message starts nothing. Its parameter types the payload. */
  id: (payload: Payload) => string
  /**
   * May be started again once it is over: of a row that is still open, by src/loops/open-rows.ts.
   * Else it is started once for good.
   */
  isRepeated?: true
  /** What it gets besides the organization. Absent: the payload. */
  input?: (payload: Payload) => Input
  /** The row by whose name the summary calls it, and whose status is told. */
  subject?: (payload: Payload) => { table: 'flows' | 'batches'; id: string }
  /** What the Temporal UI shows of the run; `name` is that of the subject, or its id. */
  summary: (payload: Payload, name: string) => string
  /** Search attributes, besides that of the organization; `status` is that of the subject. */
  attributes: (payload: Payload, status: string | undefined) => Attributes
}

type Attributes = { [Name in keyof typeof SEARCH_ATTRIBUTES]?: string }

/** `Input` and `Type` are those of the entry, so that a test can compare them with the workflow. */
const start = <Payload, const Type extends string, Input = Payload>(
  entry: Start<Payload, Input, Type>,
) => entry

/** Workflows that a write starts, by the kind of its outbox message. A new one is an entry here. */
export const STARTS = {
  start_batch: start({
    type: 'sendBatch',
    id: ({ batchId, attempt }: { batchId: string; attempt: number }) =>
      batchWorkflowId(batchId, attempt),
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

  // A moment of a schedule whose run was lost: the schedule itself starts it at first.
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

  // One attempt of an execution; flow and contact are what operators search by.
  start_execution: start({
    type: 'runFlow',
    id: ({ executionId, attempt }: ExecutionAttempt) => executionWorkflowId(executionId, attempt),
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

/** A moment of a flow's schedule, and the last contact for whom it is done. */
type ScheduleMoment = { flowId: string; firedFor: string; after: string | null }

/** The import and the page that asked; absent where the subscriptions alone are known. */
type Cohort = { cohort: string; importId?: string; page?: number }

type ExecutionAttempt = {
  executionId: string
  attempt: number
  flowId: string
  contactId: string
}

export type StartKind = keyof typeof STARTS

/** What the outbox message of each kind carries. */
export type StartPayloads = {
  [Kind in StartKind]: Parameters<(typeof STARTS)[Kind]['id']>[0]
}

/** What the workflow of each kind is started with. */
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
/** What is told, and to whom, is in Postgres. */
export type SendNoticeInput = StartInputs['send_notice']
/** What is erased is in the row that it names. */
export type EraseContactInput = StartInputs['start_erasure']
export type ConfirmTopicInput = StartInputs['start_confirmation']
/** The confirmations that one page of an import asks for. */
export type ConfirmCohortInput = StartInputs['start_cohort']
/**
 * Also when it continues as new: whoever starts one like a later run of it starts what anybody
 * would.
 */
export type RunFlowInput = StartInputs['start_execution']
