import type { Schemas } from '../../client/index.ts'
import type { WAIT_REASONS } from '../../domain/batches/progress.ts'
import { ago, counted, duration, moment, number } from '../lib/format.ts'

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

type BatchProgress = NonNullable<Schemas['Batch']['progress']>

/** Below so many mails a second a tenth of one counts. */
const SLOW_RATE = 10

/** `25 a second, about 2 min 05 s left`. Nothing is said while nothing leaves. */
export function speedWords(
  { ratePerSecond, expectedEnd }: BatchProgress,
  now = Date.now(),
): string {
  if (ratePerSecond === 0) return ''
  const places = ratePerSecond < SLOW_RATE ? 10 : 1
  const rate = `${number(Math.round(ratePerSecond * places) / places)} a second`
  if (expectedEnd === null) return rate
  return `${rate}, about ${duration((Date.parse(expectedEnd) - now) / 1_000)} left`
}

const WAITS: Record<(typeof WAIT_REASONS)[number], string> = {
  pause: 'It is paused',
  quota: 'The account has sent what AWS allows in 24 hours',
  provider: 'AWS cannot be reached, or has stopped the account for now',
  time: 'The others get it at their local time',
  winner: 'The others get it once the winner of the test is chosen',
  doubt: 'AWS may have taken the last ones: its events decide',
  throttled: 'AWS says that this is too fast, so it goes slower for a while',
  rate: 'This is as fast as its account or its own limit allows',
}

/** What keeps a batch back, and until when. Undefined: nothing, or its status says it already. */
export function waitSentence({ waitingFor }: BatchProgress): string | undefined {
  if (waitingFor === null || waitingFor.reason === 'pause') return undefined
  const { reason, until } = waitingFor
  return `${WAITS[reason]}${until === null ? '' : `; until ${moment(until)}`}.`
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
