import { compose, type LinkDeps } from '../../src/core/content/compose.ts'
import { type NoticeText, noticeText } from '../../src/domain/accounts/notice.ts'
import type { Timings } from '../../src/domain/delivery/timings.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { invitationUrl } from '../../src/keys/invitation-links.ts'
import type { Result } from '../../src/store/delivery/record-results.ts'
import * as notices from '../../src/store/accounts/notices.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { SendNoticeInput } from '../../workflows/contract.ts'
import { callAll, jobOf } from '../calls.ts'
import type { Mailer } from '../mailer.ts'
import { applyProviderFeedback } from '../provider-feedback.ts'
import { writeWithRetry } from '../write-with-retry.ts'

/**
 * Limits of the operator's own account: the rate that any SES account has, also in SES' sandbox.
 * Its quota is unknown, and SES reports when it is used up.
 */
const OPERATOR_LIMITS = { maxSendRate: 1, max24Hour: -1, sentLast24Hours: 0 }
const CLAIM_SIZE = 10
/** A notice that could not be sent for a day is outdated. */
const TOO_LATE_MS = 86_400_000
/** The operator's identity or credentials are refused, which the operator must fix. */
const REFUSED_MS = 900_000

interface NoticeSender {
  from: string
  region: string
  mailer: Mailer
}

export interface NoticeDeps {
  sql: Sql
  /** A small pool whose statements end after a second. */
  claimSql: Sql
  /** Undefined: not configured, and no notice is sent. */
  sender: NoticeSender | undefined
  links: LinkDeps
  timings: Timings
  now: () => number
  log: { warn: (fields: object, message: string) => void }
}

interface NoticeProgress {
  waitMs: number | null
  told: number
}
const DONE: NoticeProgress = { waitMs: null, told: 0 }
const waiting = (waitMs: number): NoticeProgress => ({ waitMs, told: 0 })

export function createNoticeActivities(deps: NoticeDeps) {
  const { sql, claimSql, sender, timings, now, log } = deps

  /**
   * Mails a notice to the remaining recipients: permits, claim, call, as for all mail. Returns the
   * milliseconds after which to continue, null if all recipients are done, and the number of sent
   * mails.
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
    const from = { from: sender.from, replyTo: null }
    const { results, verdict } = await callAll(
      sender.mailer,
      claimed.recipients.map(({ id, email }) => {
        const rendered = { ...textTo(email, input, notice), html: null }
        const making = compose('notice', from, { rendered, isMarketing: false }, { email })
        return { id, job: making.then((composedNotice) => jobOf(id, composedNotice)) }
      }),
      {
        iamRole: { ...NOBODY, region: sender.region },
        signedAt: new Date(claimed.claimedAt),
        beginBy: startedAt + timings.beginMs,
      },
    )
    await writeWithRetry(() => notices.recordResults(sql, claim, results.map(toNoticeResult)))
    const { isWatched } = grant
    await applyProviderFeedback(sql, account, {
      verdict: { ...verdict, own: false },
      isWatched,
      timings,
    })
    if (verdict.unavailable === undefined && verdict.senderRefused.size === 0) {
      return { waitMs: 1, told: results.filter(({ outcome }) => outcome === 'sent').length }
    }
    const reason = verdict.unavailable ?? 'sender_refused'
    log.warn({ ...about(input, notice), reason }, 'the operator may not send')
    return waiting(REFUSED_MS)
  }

  function textTo(
    email: string,
    { organizationId }: SendNoticeInput,
    notice: notices.FoundNotice,
  ): NoticeText {
    const { kind, data, organizationName } = notice
    if (kind !== 'invitation') return noticeText(notice, organizationName)
    const invited = { ...data, organizationId, id: data.invitationId, email }
    const { keyring, publicUrl } = deps.links
    return noticeText(notice, organizationName, invitationUrl(keyring, publicUrl, invited))
  }

  async function permits(account: sendLimits.Account, want: number) {
    const grant = await sendLimits.grantPermits(sql, account, want)
    if (grant.pausedReason !== 'no_account') return grant
    await sendLimits.learn(sql, account, OPERATOR_LIMITS)
    return sendLimits.grantPermits(sql, account, want)
  }

  async function setAside(input: SendNoticeInput, notice: { kind: string }, reason: string) {
    await notices.skipQueued(sql, input, reason)
    log.warn({ ...about(input, notice), reason }, 'a notice was not mailed')
    return DONE
  }

  return { sendNotice }
}

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

function toNoticeResult(result: Result): notices.NoticeResult {
  const { id, outcome: state } = result
  switch (result.outcome) {
    case 'sent':
      return { id, state, messageId: result.messageId, reason: null }
    case 'failed':
      return { id, state, messageId: null, reason: result.reason }
    case 'unknown':
      return { id, state, messageId: null, reason: 'unknown_outcome' }
    case 'queued':
      return { id, state, messageId: null, reason: null }
  }
}

export type NoticeActivities = ReturnType<typeof createNoticeActivities>
