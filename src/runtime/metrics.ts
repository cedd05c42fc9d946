import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Lane } from '../domain/mails/mail-priority.ts'

/**
 * Metrics that are counted where they happen. A process has one set. Modules import the
 * instruments, as loggers of libraries are imported, so that no caller passes them on.
 *
 * Labels come from closed lists and never name a tenant. So a process has a bounded number of
 * series, however many organizations it serves (test/main/metrics-bounds).
 */
export const ownMetrics = new Registry()

const registers = [ownMetrics]
const PREFIX = 'letterloom_'
/** Buckets from a look-up by key to the longest statement. */
const SECONDS = [0.002, 0.01, 0.05, 0.25, 1, 5, 30]

/**
 * Interval at which the event loop's delay is measured, which the measured delay includes. An idle
 * process wakes for each: a hundred times a second by default.
 */
const LOOP_DELAY_EVERY_MS = 100

/** Adds the figures of the process itself, such as its memory, to a registry. */
export const collectProcessMetrics = (register: Registry): void =>
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: LOOP_DELAY_EVERY_MS })

const counter = <Label extends string = never>(
  name: string,
  help: string,
  labelNames: Label[] = [],
): Counter<Label> => new Counter({ name: `${PREFIX}${name}`, help, labelNames, registers })

const histogram = <Label extends string = never>(
  name: string,
  help: string,
  labelNames: Label[] = [],
): Histogram<Label> =>
  new Histogram({ name: `${PREFIX}${name}`, help, labelNames, buckets: SECONDS, registers })

/** A mail that is `queued` again was not accepted, for a reason other than its recipient. */
type MailOutcome = 'sent' | 'failed' | 'unknown' | 'queued' | 'skipped'

const mails = counter('mails_total', 'Mails whose attempt ended, by outcome', ['lane', 'outcome'])

export const countMails = (lane: Lane, outcome: MailOutcome, count = 1): void => {
  if (count > 0) mails.inc({ lane, outcome }, count)
}

/** A text that is `queued` again was not accepted, for a reason other than its recipient. */
const texts = counter('texts_total', 'Text messages whose attempt ended, by outcome', ['outcome'])

export const countText = (outcome: MailOutcome): void => texts.inc({ outcome })

type Answer =
  | 'sent'
  | 'refused'
  | 'throttled_rate'
  | 'throttled_quota'
  | 'unavailable'
  | 'unreachable'
  | 'unknown'
  | 'not_begun'

const sesCalls = counter('ses_calls_total', 'Calls that send a mail, by what SES answered', [
  'answer',
])
const sesCallSeconds = histogram('ses_call_seconds', 'Time of a call that sends a mail')

export const countSesCall = (answer: Answer, seconds: number): void => {
  sesCalls.inc({ answer })
  if (answer !== 'not_begun') sesCallSeconds.observe(seconds)
}

const textCalls = counter(
  'sms_calls_total',
  'Calls that send a text message, by what the provider answered',
  ['answer'],
)
const textCallSeconds = histogram('sms_call_seconds', 'Time of a call that sends a text message')

export const countTextCall = (answer: Answer, seconds: number): void => {
  textCalls.inc({ answer })
  if (answer !== 'not_begun') textCallSeconds.observe(seconds)
}

/** Reasons that become labels. All others concern a single account. */
const PERMIT_REFUSALS = ['daily_quota', 'provider_unreachable', 'no_account', 'restored'] as const

const permitsAsked = counter('permits_asked_total', 'Permits to send that were asked for', ['lane'])
const permitsGranted = counter('permits_granted_total', 'Permits to send that were granted', [
  'lane',
])
const permitWaits = counter(
  'permit_waits_total',
  'Questions for permits that were answered with a time to wait',
  ['lane', 'reason'],
)

export function countPermits(
  lane: Lane,
  asked: number,
  { granted, pausedReason }: { granted: number; pausedReason: string | null },
): void {
  permitsAsked.inc({ lane }, asked)
  if (granted > 0) permitsGranted.inc({ lane }, granted)
  else permitWaits.inc({ lane, reason: reasonOf(pausedReason) })
}

const reasonOf = (pausedReason: string | null): string =>
  pausedReason === null
    ? 'rate'
    : (PERMIT_REFUSALS.find((each) => each === pausedReason) ?? 'account')

const claims = counter('claims_total', 'Claims of mails that are about to be sent', ['lane'])

export const countClaim = (lane: Lane): void => claims.inc({ lane })

export const expiredLeases = counter(
  'expired_leases_total',
  'Claims whose worker did not report what became of their mails',
)
export const decidedClaims = counter(
  'decided_claims_total',
  'Claims in doubt that were decided, by what becomes of their mails',
  ['decision'],
)

export const receivedEvents = counter(
  'delivery_events_received_total',
  'Delivery events that were stored for the first time and are to be applied',
)
export const appliedEvents = counter(
  'delivery_events_applied_total',
  'Delivery events that were applied, or found to say nothing new',
)
export const refusedEvents = counter(
  'delivery_events_refused_total',
  'Delivery events whose application failed: put off, or set aside for good',
  ['end'],
)

type OutboxOutcome = 'delivered' | 'failed'

const outboxMessages = counter(
  'outbox_messages_total',
  'Starts, signals and cancels of workflows that were tried',
  ['kind', 'outcome'],
)

export const countOutboxMessage = (kind: string, outcome: OutboxOutcome): void =>
  outboxMessages.inc({ kind, outcome })

export const endedExecutions = counter(
  'executions_ended_total',
  'Executions of workflows that their run ended',
  ['status'],
)

const webhookCalls = counter(
  'webhook_calls_total',
  'Calls of webhook steps, by the class of the answer, such as 2xx',
  ['answer'],
)

/** `status` undefined: there was no answer. */
export const countWebhookCall = (status: number | undefined): void =>
  webhookCalls.inc({ answer: status === undefined ? 'none' : `${Math.trunc(status / 100)}xx` })

const importedRows = counter('import_rows_total', 'Rows of imports, by what became of them', [
  'outcome',
])

export function countImportedRows(
  rows: Readonly<Record<'created' | 'updated' | 'skipped' | 'failed', number>>,
): void {
  for (const [outcome, count] of Object.entries(rows)) {
    if (count > 0) importedRows.inc({ outcome }, count)
  }
}

export const failedRounds = counter(
  'failed_rounds_total',
  'Rounds of the loops of a worker that failed and are tried again',
  ['loop'],
)

const waitingCallers = new Gauge({
  name: `${PREFIX}postgres_waiting`,
  help: 'Callers that wait for a connection to Postgres',
  labelNames: ['pool'],
  registers,
})
const waitSeconds = histogram(
  'postgres_wait_seconds',
  'Time for which a caller waited for a connection to Postgres',
  ['pool'],
)
const useSeconds = histogram(
  'postgres_use_seconds',
  'Time for which a caller had a connection to Postgres: a statement or a transaction',
  ['pool'],
)

/** The instruments of one pool, by its name. */
export function poolMeter(pool: string) {
  const waiting = waitingCallers.labels({ pool })
  const waited = waitSeconds.labels({ pool })
  const used = useSeconds.labels({ pool })
  return {
    /** Measures a wait for a connection, which ends with the promise. */
    async wait(entering: Promise<void>): Promise<void> {
      const startedAt = performance.now()
      waiting.inc()
      try {
        await entering
      } finally {
        waiting.dec()
        waited.observe((performance.now() - startedAt) / 1_000)
      }
    },
    use: (startedAt: number): void => used.observe((performance.now() - startedAt) / 1_000),
  }
}
