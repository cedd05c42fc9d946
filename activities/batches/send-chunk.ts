import { awaitOutcomes } from '../../src/core/batches/complete-batch.ts'
import { Context } from '@temporalio/activity'
import { MOST_SENDER_REFUSALS } from '../../src/domain/batches/breaker.ts'
import type { Timings } from '../../src/domain/delivery/timings.ts'
import { batchRowId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as batchVariants from '../../src/store/batches/batch-variants.ts'
import * as batchParts from '../../src/store/batches/batch-parts.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import * as messages from '../../src/store/delivery/messages.ts'
import { giveBackThrottled, takeThrottled } from '../../src/store/batches/batch-throttle.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Range } from '../../workflows/contract.ts'
import { processRenderer } from '../../src/mail/renderer.ts'
import { type BatchMails, batchMails } from './batch-mails.ts'
import { countTroubles } from './breaker.ts'
import { callAll, type Pending, type Verdict } from '../calls.ts'
import type { Mailer } from '../mailer.ts'
import { applyProviderFeedback } from '../provider-feedback.ts'
import { writeWithRetry } from '../write-with-retry.ts'

export interface SendChunkInput extends Range {
  organizationId: string
  batchId: string
  attempt: number
}

export type SendChunkResult =
  /** Every row of the range has its outcome. */
  | { kind: 'done' }
  /** What is left of its rows is in doubt: come back later. */
  | { kind: 'waiting' }
  /** Rows are left that are not in doubt, which somebody else holds for a moment: come back. */
  | { kind: 'open' }
  /**
   * The account cannot send for `waitMs`. `resumeAt` is for workflows of before: milliseconds since
   * 1970, by the clock of one worker.
   */
  | { kind: 'paused'; waitMs?: number; resumeAt: number; reason: string }
  /** The batch is paused until somebody resumes it. */
  | { kind: 'held' }
  /** The batch is no longer to be sent. */
  | { kind: 'stopped' }
  /** Nothing can be sent through this connection any more. */
  | { kind: 'unavailable'; reason: string }

/** What becomes of a range in which nothing but mails in doubt is open. */
const OUTCOMES_AWAITED = {
  processing: { kind: 'waiting' },
  completed: { kind: 'done' },
  stopped: { kind: 'stopped' },
} as const

/** Mails per claim: all of them are called at once, and all are in doubt if this process dies. */
const CLAIM_SIZE = 100
/**
 * Rendered mail held at once per chunk. Long templates go in smaller claims from the start; that
 * short ones make long mails shows when the first are made.
 */
const CLAIM_CHARACTERS = 2_000_000
/**
 * A chunk of an organization that renders apart gives its slot to another for about so long, while
 * a mail of the organization is rendered.
 */
const RENDERING_PAUSE_MS = 3_000
/** A chunk that cannot go on for this long gives its slot to another. */
const LONGEST_WAIT_MS = 30_000

export interface SendChunkDeps {
  sql: Sql
  /**
   * Its own small pool whose statements end after a second: a later claim would be too late to
   * call.
   */
  claimSql: Sql
  mailer: Mailer
  timings: Timings
  content: Parameters<typeof batchMails>[0]
}

export function createSendChunk({ sql, claimSql, mailer, timings, content }: SendChunkDeps) {
  const { renderer = processRenderer() } = content
  const mailsOf = batchMails(content)

  /**
   * Sends the queued rows of one range of a batch: permits, then claim, then call, then results.
   *
   * Safe to run twice at once: the claim decides who mails whom. Safe to kill anywhere: what was
   * claimed is decided by its lease and by the provider's events.
   */
  return async function sendChunk(input: SendChunkInput): Promise<SendChunkResult> {
    const { organizationId, batchId, attempt } = input
    const batch = await batchRuns.context(sql, organizationId, batchId)
    const sender = batch && (await senders.find(sql, organizationId, batch.connectionId))
    if (!batch || !sender) return { kind: 'stopped' }
    if (sender.disconnected) return { kind: 'unavailable', reason: 'disconnected' }
    if (!sender.isVerified) return { kind: 'unavailable', reason: 'not_verified' }

    const from = batchRowId(batch.bucket, input.from)
    const to = batchRowId(batch.bucket, input.to)
    const range = { organizationId, bucket: batch.bucket, from, to }
    const variants = batch.isTest
      ? await batchVariants.listContents(sql, organizationId, batchId)
      : []
    const mails = mailsOf({ organizationId, batchId, batch, variants })
    const sizes = [batch, ...variants].map(
      (said) => said.contentHtml.length + said.contentText.length,
    )
    const claimSize = Math.floor(CLAIM_CHARACTERS / (Math.max(...sizes) + 1))
    const most = Math.min(CLAIM_SIZE, Math.max(1, claimSize))
    const chunk = { waitedMs: 0, isUntried: attempt > 1 || batch.sent === 0, most }

    for (;;) {
      const open = await batchParts.countOpen(sql, range)
      if (open.queued === 0) {
        if (open.claimed + open.inDoubt === 0) return { kind: 'done' }
        const status = await awaitOutcomes(sql, input, timings)
        if (status === 'processing' && open.claimed > 0) return { kind: 'open' }
        return OUTCOMES_AWAITED[status]
      }
      if (batch.isPaused) return { kind: 'held' }
      // Until a first mail is accepted few are tried at once: a refused sender fails no whole
      // claim.
      const untried = chunk.isUntried ? MOST_SENDER_REFUSALS : CLAIM_SIZE
      const turn = renderer.takeTurn(organizationId)
      if (!turn) return pausedForRendering()
      const wanted = Math.min(most, chunk.most, untried, open.queued, turn.mostMails)
      const grant = await grantMails(input, batch, sender, wanted).catch((error: unknown) => {
        turn.end()
        throw error
      })
      if (grant.granted === 0) {
        turn.end()
        if (grant.waitMs > LONGEST_WAIT_MS || chunk.waitedMs > LONGEST_WAIT_MS) {
          return await pauseFor(input, grant)
        }
        chunk.waitedMs += grant.waitMs
        await Context.current().sleep(grant.waitMs)
        continue
      }
      const claim = { input, sender, range, batch, mails, chunk, grant }
      const ended = await sendClaim(claim).finally(() => turn.end())
      if (ended) return ended
      if (Context.current().cancellationSignal.aborted) await Context.current().cancelled
    }
  }

  /** The account has no permits for a while; where that is for its quota, the batch says so. */
  async function pauseFor(
    input: SendChunkInput,
    { waitMs, pausedReason }: sendLimits.Grant,
  ): Promise<SendChunkResult> {
    if (pausedReason === 'daily_quota') await batchRuns.noteQuotaAwaited(sql, input, waitMs)
    return paused(waitMs, pausedReason ?? 'rate')
  }

  /** Claims as many rows as there are permits for, calls, and writes the results. */
  async function sendClaim({
    input,
    sender,
    range,
    batch,
    mails,
    chunk,
    grant,
  }: ClaimInput): Promise<SendChunkResult | undefined> {
    const { organizationId, batchId, attempt } = input
    const startedAt = performance.now()
    const claimId = uuidv7()
    const claimed = await messages.claimRange(claimSql, {
      ...range,
      batchId,
      attempt,
      connectionId: batch.connectionId,
      claimId,
      limit: grant.granted,
    })
    await giveBack(input, batch, sender, grant.granted - claimed.recipients.length)
    if (!claimed.live) {
      return resultOfDeadClaim(
        await senders.find(sql, organizationId, batch.connectionId),
        await batchRuns.find(sql, input),
      )
    }
    if (claimed.recipients.length === 0) return undefined

    const beginBy = startedAt + timings.beginMs
    const jobs = mails(claimed.recipients, beginBy)
    const call = { iamRole: sender, signedAt: new Date(claimed.claimedAt), beginBy }
    const toCall = pending(claimed.recipients, jobs)
    const { results, verdict } = await callAll(mailer, toCall, call, CLAIM_CHARACTERS)
    chunk.most = mostNext(chunk.most, results.length, verdict.notBegun)
    const { isTest, bucket } = batch
    const claim = { organizationId, bucket, claimId, batchId, isTest }
    await writeWithRetry(() => messages.recordResults(sql, claim, results))
    await giveBack(input, batch, sender, verdict.notBegun)
    const { isWatched } = grant
    await applyProviderFeedback(sql, sender, { verdict, isWatched, timings })
    const trip = await countTroubles(sql, input, results, verdict)
    if (trip) return { kind: 'unavailable', reason: trip }
    if (results.some(({ outcome }) => outcome === 'sent')) chunk.isUntried = false
    if (results.some(({ outcome }) => outcome !== 'queued')) chunk.waitedMs = 0
    if (verdict.own) {
      return paused(timings.outagePauseMs, 'role')
    }
    return resultOfVerdict(verdict)
  }

  /** Permits of the batch's own rate, where it has one, and then of the account. */
  async function grantMails(
    input: SendChunkInput,
    { throttlePerSecond }: batchRuns.Context,
    sender: senders.SendingConnection,
    want: number,
  ): Promise<sendLimits.Grant> {
    if (throttlePerSecond === null) return sendLimits.grantPermits(sql, sender, want, 'batch')
    const own = await takeThrottled(sql, input, want)
    if (own.granted === 0) {
      return { granted: 0, waitMs: own.waitMs, pausedReason: null, isWatched: false }
    }
    const grant = await sendLimits.grantPermits(sql, sender, own.granted, 'batch')
    if (grant.granted < own.granted) {
      await giveBackThrottled(sql, input, own.granted - grant.granted)
    }
    return grant
  }

  async function giveBack(
    input: SendChunkInput,
    { throttlePerSecond }: batchRuns.Context,
    sender: senders.SendingConnection,
    unused: number,
  ): Promise<void> {
    if (unused <= 0) return
    await sendLimits.giveBack(sql, sender, unused)
    if (throttlePerSecond !== null) await giveBackThrottled(sql, input, unused)
  }
}

interface ClaimInput {
  input: SendChunkInput
  sender: senders.SendingConnection
  range: { organizationId: string; bucket: Uuid; from: Uuid; to: Uuid }
  batch: NonNullable<Awaited<ReturnType<typeof batchRuns.context>>>
  mails: ReturnType<ReturnType<typeof batchMails>>
  /** What the claims of one chunk know of those before. */
  chunk: {
    /** For permits, since something was sent. */
    waitedMs: number
    /** Nothing was accepted from this sender yet. */
    isUntried: boolean
    /** As many could be made and called by the last claim, and some more. */
    most: number
  }
  grant: Awaited<ReturnType<typeof sendLimits.grantPermits>>
}

/** Spread, so that the chunks of many batches do not come back together. */
const pausedForRendering = (): SendChunkResult =>
  paused(RENDERING_PAUSE_MS * (1 + Math.random()), 'rendering')

/** Rows of the next claim: few after mails that took too long to make or were too long. */
const mostNext = (most: number, claimed: number, notBegun: number): number =>
  notBegun === 0 ? Math.min(2 * most, CLAIM_SIZE) : Math.max(1, 2 * (claimed - notBegun))

const pending = (recipients: messages.Recipient[], jobs: ReturnType<BatchMails>): Pending[] =>
  recipients.map(({ id }, index) => ({ id, job: jobs[index] ?? Promise.resolve(undefined) }))

const paused = (waitMs: number, reason: string): SendChunkResult => ({
  kind: 'paused',
  waitMs,
  resumeAt: Date.now() + waitMs,
  reason,
})

/** A sender that is refused is tried again, until the breaker says that it is enough. */
const resultOfVerdict = (verdict: Verdict): SendChunkResult | undefined =>
  verdict.unavailable === undefined || verdict.isOfSender
    ? undefined
    : { kind: 'unavailable', reason: verdict.unavailable }

/** A claim that found nothing live: the batch was stopped, or its connection is gone. */
function resultOfDeadClaim(
  sender: senders.SendingConnection | undefined,
  batch: batchRuns.BatchState | undefined,
): SendChunkResult {
  if (!sender || sender.disconnected) return { kind: 'unavailable', reason: 'disconnected' }
  if (!sender.isVerified) return { kind: 'unavailable', reason: 'not_verified' }
  if (batch?.isPaused) return { kind: 'held' }
  // Verified again meanwhile.
  if (batch?.status === 'processing') return { kind: 'open' }
  // Failed by another chunk, and maybe resumed since, by another attempt.
  if (!batch || batch.status === 'failed') return { kind: 'unavailable', reason: 'stopped' }
  return { kind: 'stopped' }
}
