import { recordAnswers } from '../src/core/accounts/pace.ts'
import type { Timings } from '../src/domain/delivery/timings.ts'
import * as sendLimits from '../src/store/accounts/send-limits.ts'
import * as sendUsage from '../src/store/accounts/send-usage.ts'
import type { Sql } from '../src/store/db/sql.ts'
import type { Verdict } from './calls.ts'

interface Feedback {
  verdict: Verdict
  isWatched: boolean
  timings: Timings
}

/** Reports the provider's reaction to the limiter, for every process that uses the account. */
export async function applyProviderFeedback(
  sql: Sql,
  account: sendLimits.Account,
  { verdict, isWatched, timings }: Feedback,
): Promise<void> {
  const { answers } = verdict
  if (answers.throttled > 0 || (isWatched && answers.calls > 0)) {
    await recordAnswers(sql, account, answers)
  }
  const refused = answers.throttled + verdict.senderRefused.size
  if (refused > 0) await sendUsage.countRefused(sql, account, refused)
  if (verdict.quotaUsedUp) {
    await sendLimits.pause(sql, account, timings.quotaPauseMs, 'daily_quota')
  }
  if (verdict.unreachable !== undefined && !verdict.own) {
    await sendLimits.pause(sql, account, timings.outagePauseMs, 'provider_unreachable')
  }
}
