import { type Answers, isEnough, nextPace } from '../../domain/delivery/throttling.ts'
import * as sendLimits from '../../store/accounts/send-limits.ts'
import { type Sql, transact } from '../../store/db/sql.ts'

/**
 * Counts the provider's answers at the present pace: accepted and throttled calls. With enough
 * answers, the first process to see them judges the pace. Only while the provider throttles, since
 * it costs a statement for every claim.
 */
export async function recordAnswers(
  sql: Sql,
  account: sendLimits.Account,
  answers: Answers,
): Promise<void> {
  const window = await sendLimits.countAnswers(sql, account, answers)
  if (window && isAnswered(window)) await judgePace(sql, account)
}

const isAnswered = ({ answered, ms }: sendLimits.Window): boolean => isEnough(answered, ms)

async function judgePace(sql: Sql, account: sendLimits.Account): Promise<void> {
  await transact(sql, async (tx) => {
    const pace = await sendLimits.lockPace(tx, account)
    // Another process may have judged them meanwhile.
    if (!pace || !isAnswered(pace)) return
    const { factor, tolerated, trialFactor, trialShare, triedMs } = pace
    const isOnTrial = trialFactor !== null && trialShare !== null
    const trial = isOnTrial ? { factor: trialFactor, share: trialShare } : null
    const answers = { calls: pace.answered, throttled: pace.throttled }
    const after = nextPace({ factor, tolerated, trial }, answers, triedMs)
    await sendLimits.updatePace(tx, account, after, factor)
  })
}
