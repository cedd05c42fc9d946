import type { Account } from '../accounts.ts'
import { refusal, tooMany, type Refusal } from '../aws/errors.ts'
import type { Faults } from '../faults.ts'
import type { Limiter } from '../limiter.ts'

/** Why the whole account may not send, or undefined. */
export function accountProblem(account: Account, faults: Faults): Refusal | undefined {
  if (faults.suspended || account.enforcementStatus === 'SHUTDOWN') {
    return refusal(
      400,
      'AccountSuspendedException',
      "The account's ability to send email has been permanently restricted.",
    )
  }
  if (faults.sendingPaused || !account.sendingEnabled) {
    return refusal(
      400,
      'SendingPausedException',
      `Email sending is disabled for your account in ${account.region}.`,
    )
  }
  if (faults.mailFromNotVerified) {
    return refusal(
      400,
      'MailFromDomainNotVerifiedException',
      'The custom MAIL FROM domain is not verified.',
    )
  }
  return undefined
}

export const RATE_EXCEEDED = 'Maximum sending rate exceeded.'
export const QUOTA_EXCEEDED = 'Daily message quota exceeded.'

/** Takes `count` recipients from rate and quota, or returns what is used up. */
export function takeProblem(
  limiter: Limiter,
  account: Account,
  { count, faults }: { count: number; faults: Faults },
): Refusal | undefined {
  const takeResult = faults.dailyQuotaExceeded ? 'quota' : limiter.take(account, count)
  if (takeResult === 'ok') return undefined
  return tooMany(takeResult === 'quota' ? QUOTA_EXCEEDED : RATE_EXCEEDED)
}
