import type { HealthStatus } from '../../domain/accounts/health.ts'
import type { SmsStatus } from '../../domain/consent/sms-status.ts'
import type { SubscriptionStatus } from '../../domain/consent/subscription.ts'
import {
  EXECUTION_STATUSES,
  type ExecutionStatus,
  type StepStatus,
} from '../../domain/flows/execution.ts'
import { DELIVERY_STATES, type DeliveryState } from '../../domain/hooks/hook-event.ts'
import { BATCH_STATUSES, type BatchStatus } from '../../domain/batches/batch.ts'
import {
  EMAIL_STATUSES,
  type EmailStatus,
  LOG_STATUSES,
  type LogStatus,
} from '../../domain/status.ts'

export type Tone = 'good' | 'busy' | 'waiting' | 'careful' | 'bad' | 'gone'

export interface Status {
  tone: Tone
  word: string
}

const status = (tone: Tone, word: string): Status => ({ tone, word })

type ImportStatus =
  | 'receiving'
  | 'pending'
  | 'running'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'aborted'

const BATCH: Record<BatchStatus | 'paused', Status> = {
  queued: status('waiting', 'Queued'),
  scheduled: status('waiting', 'Scheduled'),
  processing: status('busy', 'Sending'),
  // A flag of a batch, not a status of the wire.
  paused: status('waiting', 'Paused'),
  completed: status('good', 'Completed'),
  failed: status('bad', 'Stopped'),
  cancelled: status('gone', 'Cancelled'),
}

const MAIL: Record<LogStatus | 'cancelled' | 'scheduled', Status> = {
  scheduled: status('waiting', 'Scheduled'),
  queued: status('waiting', 'Waiting'),
  pending: status('careful', 'In doubt'),
  sent: status('good', 'Sent'),
  delivered: status('good', 'Delivered'),
  opened: status('good', 'Opened'),
  clicked: status('good', 'Clicked'),
  bounced: status('bad', 'Bounced'),
  complained: status('bad', 'Complained'),
  suppressed: status('careful', 'Suppressed'),
  failed: status('bad', 'Failed'),
  opted_out: status('careful', 'Skipped'),
  cancelled: status('gone', 'Cancelled'),
}

const CONTACT: Record<EmailStatus, Status> = {
  active: status('good', 'Active'),
  unsubscribed: status('gone', 'Unsubscribed'),
  bounced: status('bad', 'Bounced'),
  suppressed: status('careful', 'Suppressed'),
  complained: status('bad', 'Complained'),
}

const SMS: Record<SmsStatus, Status> = {
  pending_consent: status('waiting', 'No consent yet'),
  opted_in: status('good', 'Agreed'),
  opted_out: status('gone', 'Left'),
  invalid: status('bad', 'Not a mobile number'),
}

const HEALTH: Record<HealthStatus, Status> = {
  healthy: status('good', 'Healthy'),
  at_risk: status('careful', 'At risk'),
  in_danger: status('bad', 'In danger'),
  unknown: status('waiting', 'Not checked yet'),
}

const IMPORT: Record<ImportStatus, Status> = {
  receiving: status('busy', 'Receiving'),
  pending: status('waiting', 'Waiting'),
  running: status('busy', 'Running'),
  completed: status('good', 'Completed'),
  failed: status('bad', 'Failed'),
  cancelled: status('gone', 'Cancelled'),
  aborted: status('gone', 'Interrupted'),
}

const TEMPLATE: Record<'DRAFT' | 'PUBLISHED' | 'ARCHIVED', Status> = {
  DRAFT: status('waiting', 'Draft'),
  PUBLISHED: status('good', 'Published'),
  ARCHIVED: status('gone', 'Archived'),
}

const EXECUTION: Record<ExecutionStatus, Status> = {
  pending: status('waiting', 'Starting'),
  active: status('busy', 'Running'),
  paused: status('waiting', 'In a delay'),
  waiting: status('waiting', 'Waits for an event'),
  completed: status('good', 'Completed'),
  failed: status('bad', 'Failed'),
  cancelled: status('gone', 'Cancelled'),
}

const STEP: Record<StepStatus, Status> = {
  pending: status('waiting', 'Next'),
  executing: status('busy', 'Running'),
  completed: status('good', 'Done'),
  failed: status('bad', 'Failed'),
  skipped: status('careful', 'Skipped'),
}

const SUBSCRIPTION: Record<SubscriptionStatus, Status> = {
  subscribed: status('good', 'Subscribed'),
  pending: status('waiting', 'Not confirmed yet'),
  unsubscribed: status('gone', 'Left'),
}

/** Of an event to a webhook. */
const DELIVERY: Record<DeliveryState, Status> = {
  pending: status('busy', 'Waiting'),
  delivered: status('good', 'Delivered'),
  failed: status('bad', 'Failed'),
  cancelled: status('gone', 'Cancelled'),
}

/** Every status of the wire, by the list it is of: how it looks and what it is called. */
export const STATUSES = {
  batch: BATCH,
  mail: MAIL,
  contact: CONTACT,
  sms: SMS,
  health: HEALTH,
  import: IMPORT,
  template: TEMPLATE,
  execution: EXECUTION,
  step: STEP,
  delivery: DELIVERY,
  subscription: SUBSCRIPTION,
}

export type StatusList = keyof typeof STATUSES

/** A word that a newer server sends is shown as it is. */
export function statusOf(list: StatusList, value: string): Status {
  const known: Record<string, Status | undefined> = STATUSES[list]
  return known[value] ?? { tone: 'waiting', word: value.replaceAll('_', ' ') }
}

export const isBatchStatus = (text: unknown): text is BatchStatus =>
  BATCH_STATUSES.some((status) => status === text)

/** What a recipient of a batch can be. */
export const RECIPIENT_STATUSES = [...LOG_STATUSES, 'cancelled'] as const

export const isRecipientStatus = (text: unknown): text is (typeof RECIPIENT_STATUSES)[number] =>
  RECIPIENT_STATUSES.some((status) => status === text)

export const isEmailStatus = (text: unknown): text is EmailStatus =>
  EMAIL_STATUSES.some((status) => status === text)

export const isLogStatus = (text: unknown): text is LogStatus =>
  LOG_STATUSES.some((status) => status === text)

export const isExecutionStatus = (text: unknown): text is ExecutionStatus =>
  EXECUTION_STATUSES.some((status) => status === text)

export const isDeliveryState = (text: unknown): text is DeliveryState =>
  DELIVERY_STATES.some((state) => state === text)

export const LOG_CHOICES = LOG_STATUSES.map((value) => ({ value, label: MAIL[value].word }))
