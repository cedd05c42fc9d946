import type { Timings } from '../src/domain/timings.ts'
import * as sendingLimits from '../src/store/sending-limits.ts'
import type { Sql } from '../src/store/sql.ts'
import type { Verdict } from './calls.ts'

interface Feedback {
  verdict: Verdict
  /** Of the grant that the calls were made with. */
  isWatched: boolean
  timings: Timings
}

/** Lets the limiter know what the provider said, for every process that uses the account. */
export async function applyProviderFeedback(
  sql: Sql,
  account: sendingLimits.Account,
  { verdict, isWatched, timings }: Feedback,
): Promise<void> {
  const { answers } = verdict
  if (answers.throttled > 0 || (isWatched && answers.calls > 0)) {
    await sendingLimits.recordAnswers(sql, account, answers)
  }
  if (verdict.quotaUsedUp) {
    await sendingLimits.pause(sql, account, timings.quotaPauseMs, 'daily_quota')
  }
  if (verdict.unreachable !== undefined && !verdict.own) {
    await sendingLimits.pause(sql, account, timings.outagePauseMs, 'provider_unreachable')
  }
}
