import type { Timings } from '../src/domain/timings.ts'
import * as sendingLimits from '../src/store/sending-limits.ts'
import type { Sql } from '../src/store/sql.ts'
import type { Verdict } from './calls.ts'

/** Lets the limiter know what the provider said, for every process that uses the account. */
export async function heed(
  sql: Sql,
  account: sendingLimits.Account,
  verdict: Verdict,
  timings: Timings,
): Promise<void> {
  if (verdict.throttled === 'rate') await sendingLimits.slowDown(sql, account)
  if (verdict.throttled === 'quota') {
    await sendingLimits.pause(sql, account, timings.quotaPauseMs, 'daily_quota')
  }
  if (verdict.unreachable !== undefined && !verdict.own) {
    await sendingLimits.pause(sql, account, timings.outagePauseMs, 'provider_unreachable')
  }
}
