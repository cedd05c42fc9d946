/**
 * What other code may know of the workflows: queues, ids, inputs, signals, search attributes. It
 * holds constants, types and functions that make ids, and imports no code.
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
export const cohortWorkflowId = (importId: string, page: number): string =>
  `confirm-cohort/${importId}/${page}`
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

/** Input of `sendNotice`. What is told, and to whom, is in Postgres. */
export interface SendNoticeInput {
  organizationId: string
  noticeId: string
}

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

export interface ImportContactsInput {
  organizationId: string
  importId: string
}

export interface VerifyConnectionInput {
  organizationId: string
  connectionId: string
}

/** Input of `eraseContact`: what is erased is in the row that it names. */
export interface EraseContactInput {
  organizationId: string
  erasureId: string
}

/**
 * Input of `dispatchMail`, the one workflow that sends a connection's single mail.
 */
export interface DispatchMailInput {
  organizationId: string
  connectionId: string
}

/**
 * Input of `runFlow`, also when it continues as new: whoever starts one like a later run of it
 * starts what anybody would.
 */
export interface RunFlowInput {
  organizationId: string
  executionId: string
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
interface Confirmation {
  contactId: string
  topicId: string
  generation: number
}

/** Input of `confirmTopic`. */
export interface ConfirmTopicInput extends Confirmation {
  organizationId: string
}

/** Input of `confirmCohort`: the confirmations that one page of an import asks for. */
export interface ConfirmCohortInput {
  organizationId: string
  cohort: string
}

/** Signal of `confirmTopic`: the confirmation is no longer awaited. Postgres says so too. */
export const END_CONFIRMATION_SIGNAL = 'endConfirmation'

/**
 * Signal of `dispatchMail` and `runFlow`: look into Postgres, there may be something to do. Loses
 * nothing when it is lost.
 */
export const WAKE_SIGNAL = 'wake'
