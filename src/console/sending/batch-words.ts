import type { Schemas } from '../../client/index.ts'
import { ago, counted, moment, number } from '../lib/format.ts'

export type BatchFigures = Pick<
  Schemas['BatchSummary'],
  | 'status'
  | 'paused'
  | 'totalRecipients'
  | 'sent'
  | 'failed'
  | 'skipped'
  | 'unknown'
  | 'audienceFrozenAt'
>

/** The parts of a batch's audience; together they are its recipients, at every moment. */
export const PARTS = ['sent', 'failed', 'skipped', 'unknown', 'open', 'cancelled'] as const
export type Part = (typeof PARTS)[number]

/** How many recipients came to what. What was not mailed before a cancellation never will be. */
export function partsOf(batch: BatchFigures): Record<Part, number> {
  const { totalRecipients, sent, failed, skipped, unknown, status } = batch
  const rest = Math.max(0, totalRecipients - sent - failed - skipped - unknown)
  const isCancelled = status === 'cancelled'
  return {
    sent,
    failed,
    skipped,
    unknown,
    open: isCancelled ? 0 : rest,
    cancelled: isCancelled ? rest : 0,
  }
}

/** What a batch is shown as: a batch that is paused does not send. */
export const shownStatus = ({ status, paused }: Pick<BatchFigures, 'status' | 'paused'>): string =>
  paused && (status === 'processing' || status === 'queued' || status === 'scheduled')
    ? 'paused'
    : status

/** What a batch is called: a name is optional. */
export const nameOf = ({ name, subject }: { name: string | null; subject: string }): string =>
  name ?? subject

const FAILED: Record<string, string> = {
  sender_rejected: 'AWS refuses the sender. Verify the address or its domain, then resume.',
  render_timeout: 'Its mails take too long to make. Simplify the content, then resume.',
  not_verified: 'The account is not verified. Look at its checks, then resume.',
  disconnected: 'The account was disconnected.',
  account_suspended: 'AWS has suspended sending of the account.',
  sending_paused: 'Sending of the account is paused at AWS.',
  stopped_by_operator: 'Whoever runs this server stopped it.',
  restored:
    'The server was restored from a backup, and it is not known who was mailed since. Resuming may mail some of them twice.',
  segment_not_usable: 'Its segment names something that is not there any more.',
  segment_too_slow: 'Its segment takes too long to find. Make it simpler.',
  topic_deleted: 'Its topic was deleted.',
}

/** Why a batch stopped, and what to do. A reason that is newer than this page is shown as it is. */
export const failedSentence = (reason: string | null): string =>
  reason === null
    ? 'It stopped.'
    : (FAILED[reason] ?? `It stopped: ${reason.replaceAll('_', ' ')}.`)

type BatchState = BatchFigures &
  Pick<Schemas['BatchSummary'], 'failedReason' | 'scheduledFor' | 'completedAt' | 'startedAt'>

/** Where a batch stands, in a sentence. */
export function sentenceOf(batch: BatchState, now = Date.now()): string {
  const { totalRecipients, sent, failed, completedAt, scheduledFor } = batch
  switch (shownStatus(batch)) {
    case 'queued':
      return 'Starting: its audience is being put together.'
    case 'scheduled':
      return scheduledFor === null ? 'Scheduled.' : `Starts ${moment(scheduledFor)}.`
    case 'paused':
      return `Paused after ${number(sent)} of ${counted(totalRecipients, 'mail')}. Nothing leaves until it is resumed.`
    case 'processing':
      return `Sending: ${number(sent)} of ${counted(totalRecipients, 'mail')} ${sent === 1 ? 'has' : 'have'} left.`
    case 'completed': {
      const when = completedAt === null ? '' : ` ${ago(completedAt, now)}`
      return failed === 0
        ? `Completed${when}: ${counted(sent, 'mail')} left.`
        : `Completed${when}: ${counted(sent, 'mail')} left, ${number(failed)} failed.`
    }
    case 'cancelled':
      return `Cancelled after ${counted(sent, 'mail')}.`
    case 'failed':
      return failedSentence(batch.failedReason)
    default:
      return ''
  }
}
