import { noticeText } from '../src/domain/notice.ts'
import type { Timings } from '../src/domain/timings.ts'
import { uuidv7 } from '../src/ids.ts'
import type { Result } from '../src/store/messages.ts'
import * as notices from '../src/store/notices.ts'
import * as sendingLimits from '../src/store/sending-limits.ts'
import type { Sql } from '../src/store/sql.ts'
import type { SendNoticeInput } from '../workflows/contract.ts'
import { callAll } from './calls.ts'
import type { Mail, Mailer } from './mailer.ts'
import { applyProviderFeedback } from './permits.ts'
import { persist } from './persist.ts'

/** What any SES account may send a second, also one that is in SES' own sandbox. */
const OPERATOR_RATE = { maxSendRate: 1, max24Hour: 200 }
const CLAIM_SIZE = 10
/** What could not be told for a day is no news any more. */
const TOO_LATE_MS = 86_400_000
/** The operator's identity or credentials are refused: somebody has to do something about it. */
const REFUSED_MS = 900_000

/** The operator's own sender. */
interface NoticeSender {
  /** `Letterloom <notices@example.com>`. */
  from: string
  region: string
  /** Calls with the operator's own credentials. */
  mailer: Mailer
}

export interface NoticeDeps {
  sql: Sql
  /** Its own small pool whose statements end after a second. */
  claimSql: Sql
  /** Undefined: the operator has set none up, and nobody is told. */
  sender: NoticeSender | undefined
  timings: Timings
  /** Milliseconds since 1970. */
  now: () => number
  log: { warn: (fields: object, message: string) => void }
}

interface NoticeProgress {
  /** Null: there is nothing left to do. */
  waitMs: number | null
  told: number
}
const DONE: NoticeProgress = { waitMs: null, told: 0 }
const waiting = (waitMs: number): NoticeProgress => ({ waitMs, told: 0 })

export function createNoticeActivities(deps: NoticeDeps) {
  const { sql, claimSql, sender, timings, now, log } = deps

  /**
   * Mails a notice to those who are still to be told: permits, claim, call, as all mail. Answers in
   * how many milliseconds to come back, null when everybody has been seen to, and how many it told.
   */
  async function sendNotice(input: SendNoticeInput): Promise<NoticeProgress> {
    await notices.giveUpClaims(sql, input, timings.leaseMs)
    const notice = await notices.find(sql, input)
    if (!notice) return DONE
    if (notice.queued === 0) return notice.claimed > 0 ? waiting(timings.leaseMs) : DONE
    if (!sender) return setAside(input, notice, 'no_sender')
    if (now() - Date.parse(notice.createdAt) > TOO_LATE_MS) {
      return setAside(input, notice, 'too_late')
    }
    const account = { accountId: notices.OPERATOR_ACCOUNT, region: sender.region }
    const grant = await permits(account, Math.min(notice.queued, CLAIM_SIZE))
    if (grant.granted === 0) return waiting(grant.waitMs)

    const startedAt = performance.now()
    const claim = { ...input, claimId: uuidv7() }
    const claimed = await notices.claim(claimSql, { ...claim, limit: grant.granted })
    const { subject, text } = noticeText(notice, notice.organizationName)
    const { results, verdict } = await callAll(
      sender.mailer,
      claimed.recipients.map(({ userId, email }) => ({
        id: userId,
        job: { id: userId, mail: mailTo(email, { from: sender.from, subject, text }) },
      })),
      {
        role: { ...NOBODY, region: sender.region },
        signedAt: new Date(claimed.claimedAt),
        beginBy: startedAt + timings.beginMs,
      },
    )
    await persist(() => notices.settle(sql, claim, results.map(settled)))
    const { isWatched } = grant
    await applyProviderFeedback(sql, account, {
      verdict: { ...verdict, own: false },
      isWatched,
      timings,
    })
    if (verdict.unavailable === undefined) {
      return { waitMs: 1, told: results.filter(({ outcome }) => outcome === 'sent').length }
    }
    log.warn({ ...about(input, notice), reason: verdict.unavailable }, 'the operator may not send')
    return waiting(REFUSED_MS)
  }

  /** The row of the operator's own sender is made when it is first used. */
  async function permits(account: sendingLimits.Account, want: number) {
    const grant = await sendingLimits.take(sql, account, want)
    if (grant.pausedReason !== 'no_account') return grant
    await sendingLimits.learn(sql, { ...account, ...OPERATOR_RATE })
    return sendingLimits.take(sql, account, want)
  }

  async function setAside(input: SendNoticeInput, notice: { kind: string }, reason: string) {
    await notices.skipQueued(sql, input, reason)
    log.warn({ ...about(input, notice), reason }, 'owners were not told')
    return DONE
  }

  return { sendNotice }
}

/** The operator's account needs no role. */
const NOBODY = {
  organizationId: '',
  connectionId: notices.OPERATOR_ACCOUNT,
  accountId: notices.OPERATOR_ACCOUNT,
  externalId: '',
}

const about = ({ organizationId, noticeId }: SendNoticeInput, { kind }: { kind: string }) => ({
  organizationId,
  noticeId,
  kind,
})

const mailTo = (
  to: string,
  { from, subject, text }: { from: string; subject: string; text: string },
): Mail => ({
  from,
  replyTo: null,
  to,
  subject,
  html: null,
  text,
  // RFC 3834: nobody's holiday notice answers a machine.
  headers: [{ name: 'Auto-Submitted', value: 'auto-generated' }],
  tags: [],
})

function settled(result: Result): notices.Settled {
  const { id: userId, outcome: state } = result
  switch (result.outcome) {
    case 'sent':
      return { userId, state, messageId: result.messageId, reason: null }
    case 'failed':
      return { userId, state, messageId: null, reason: result.reason }
    case 'unknown':
      return { userId, state, messageId: null, reason: 'unknown_outcome' }
    case 'queued':
      return { userId, state, messageId: null, reason: null }
  }
}

export type NoticeActivities = ReturnType<typeof createNoticeActivities>
