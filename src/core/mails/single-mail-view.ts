import { CANCELLED } from '../../domain/mails/single-mail.ts'
import type { Email } from '../../schemas/mails/email.ts'
import type { TransactionalMail } from '../../store/mails/transactional-mails.ts'

/** A single mail as the API answers it. */
export function emailView(stored: TransactionalMail): Email {
  const { state, status, reason, recipient, connectionId, sendAt, isDue, bodyUntil } = stored
  const { claimedAt, ...rest } = stored
  return {
    ...rest,
    status: statusOf(state, status, { reason, isDue }),
    to: recipient,
    cloudAccountId: connectionId,
    scheduledFor: state === 'queued' && !isDue ? sendAt : null,
    bodyKeptUntil: bodyUntil,
    waitingForOutcome: state === 'unknown' && claimedAt !== null ? { since: claimedAt } : null,
  }
}

function statusOf(
  state: TransactionalMail['state'],
  status: Email['status'],
  { reason, isDue }: Pick<TransactionalMail, 'reason' | 'isDue'>,
): Email['status'] {
  if (state === 'claimed' || state === 'unknown') return 'pending'
  if (state === 'queued' && !isDue) return 'scheduled'
  return state === 'skipped' && reason === CANCELLED ? 'cancelled' : status
}
